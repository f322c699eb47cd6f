/** Network faults that a test switches on and off. */
@NullMarked
package io.waybill.testkit.faults;

import org.jspecify.annotations.NullMarked;
