/** The contestants, Waybill's relays and bare loops, and the servers on which they run. */
@NullMarked
package io.waybill.bench.contest;

import org.jspecify.annotations.NullMarked;
