/** The tables of the inbox.. */
@NullMarked
package io.waybill.jdbc.inbox;

import org.jspecify.annotations.NullMarked;
