package io.waybill.store;

import io.waybill.Event;
import java.time.Duration;

/**
 * An event that a lease has claimed durably and must settle.
 *
 * @param position the store's own name for the row
 * @param retryCount failed attempts so far, counting relays that ended while they held the event
 * @param retried whether later events of its key may be parked behind it
 * @param age how long ago it was written, in database time, when it was claimed
 */
public record ClaimedEvent(Event event, long position, int retryCount, boolean retried, Duration age) {}
