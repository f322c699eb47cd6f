package io.waybill.inbox;

import java.time.Instant;
import java.util.UUID;

/**
 * An event that a group could not apply and has given up on.
 *
 * @param eventId the id of the event; derived from body and position if the message could not be read
 * @param eventType empty if the message could not be read
 * @param qualifiedKey aggregate type and key, as in {@link InboxStore#qualifiedKey}
 * @param message the message exactly as received
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
