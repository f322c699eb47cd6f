/** Relays under faults: crashes, outages, freezes, failovers and poison events. */
@NullMarked
package io.waybill.acceptance.relay;

import org.jspecify.annotations.NullMarked;
