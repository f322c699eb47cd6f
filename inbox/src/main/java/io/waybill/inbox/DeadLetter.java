package io.waybill.inbox;

import java.time.Instant;
import java.util.UUID;

/**
 * An event that a group has given up on.
 *
 * @param eventId of the event, or made from the place of a message that could not be read
 * @param eventType empty when the message could not be read
 * @param message exactly as it was received
 */
public record DeadLetter(
        String group,
        UUID eventId,
        String eventType,
        String qualifiedKey,
        ReceivedMessage message,
        int attempts,
        String errorClass,
        String error,
        Instant failedAt) {}
