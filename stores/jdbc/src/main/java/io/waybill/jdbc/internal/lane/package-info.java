/** Lanes, leases and fences, and the roster of relays. Not part of the public API. */
@NullMarked
package io.waybill.jdbc.internal.lane;

import org.jspecify.annotations.NullMarked;
