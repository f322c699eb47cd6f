/** The program {@code ./waybill chaos}: injects faults and checks Waybill's guarantees. */
@NullMarked
package io.waybill.chaos;

import org.jspecify.annotations.NullMarked;
