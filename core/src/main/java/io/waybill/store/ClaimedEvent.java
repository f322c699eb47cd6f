package io.waybill.store;

import io.waybill.Event;
import java.time.Duration;

/**
 * An event that the owner of a lease has claimed durably and must settle.
 *
 * @param position identifies the row in the store
 * @param retryCount number of failed attempts so far, including crashes of relays that had claimed the event
 * @param retried whether later events of its key may be parked behind it
 * @param age time from the insert to the claim, in database time
 */
public record ClaimedEvent(Event event, long position, int retryCount, boolean retried, Duration age) {}
