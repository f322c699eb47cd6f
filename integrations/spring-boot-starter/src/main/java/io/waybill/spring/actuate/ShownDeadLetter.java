package io.waybill.spring.actuate;

import io.waybill.inbox.DeadLetter;
import java.time.Instant;
import java.util.UUID;

/** A dead letter of a handler, as the endpoint shows it. */
record ShownDeadLetter(
        UUID id, String type, String entity, int attempts, String errorClass, String error, Instant failedAt) {
    static ShownDeadLetter of(DeadLetter letter) {
        return new ShownDeadLetter(
                letter.eventId(),
                letter.eventType(),
                letter.qualifiedKey(),
                letter.attempts(),
                letter.errorClass(),
                letter.error(),
                letter.failedAt());
    }
}
