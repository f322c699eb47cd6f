package io.waybill.inbox;

import java.util.UUID;

/**
 * An event that was kept in the inbox and is due: a retry, or a parked event that no longer waits for another event.
 *
 * @param attempts the number of failed attempts so far
 * @param patienceOver whether the event no longer waits for its predecessor
 */
public record HeldEvent(UUID id, ReceivedMessage message, int attempts, boolean patienceOver) {}
