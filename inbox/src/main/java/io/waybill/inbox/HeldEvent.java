package io.waybill.inbox;

import java.util.UUID;

/**
 * An event that waits in the inbox and is due: a retry, or parked with nothing before it any more.
 *
 * @param attempts failed ones so far
 * @param patienceOver whether it has waited for its predecessor long enough
 */
public record HeldEvent(UUID id, ReceivedMessage message, int attempts, boolean patienceOver) {}
