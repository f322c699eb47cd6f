package io.waybill.inbox.internal.message;

import io.waybill.Headers;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.internal.StorableText;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Shortens dead letters whose message the database cannot store: a text is too long for a column or an index, or the message is too
 * large. The event id, the position of the message and the error are always kept.
 */
public final class ShortenedDeadLetter {
    private static final int LONGEST_TEXT = 200;
    private static final int LONGEST_HEADER = 255;

    /** The headers that a replay needs to read the event again. */
    private static final Set<String> KEPT = Set.of(
            Headers.EVENT_ID,
            Headers.EVENT_TYPE,
            Headers.AGGREGATE_TYPE,
            Headers.AGGREGATE_VERSION,
            Headers.CORRELATION_ID,
            Headers.CAUSATION_ID,
            Headers.SOURCE,
            Headers.TRACEPARENT,
            Headers.TRACESTATE);

    private ShortenedDeadLetter() {}

    /**
     * Returns two variants of the dead letter: one with shortened texts, and one that also omits the body of the message. Store
     * the second one only if the database refuses the first one as well.
     *
     * @param reason why the database refused the original
     */
    public static List<DeadLetter> of(DeadLetter letter, String reason) {
        ReceivedMessage message = letter.message();
        byte[] note = ("{\"omitted\":\"the database refused the body\",\"bytes\":" + message.value().length
                        + ",\"sha256\":\"" + IndexableKey.sha256(message.value()) + "\"}")
                .getBytes(StandardCharsets.UTF_8);
        return List.of(
                with(letter, message.value(), "Recorded in shortened form", reason),
                with(letter, note, "Recorded in shortened form, without the body", reason));
    }

    private static DeadLetter with(DeadLetter letter, byte[] value, String what, String reason) {
        ReceivedMessage message = letter.message();
        String key = message.key();
        ReceivedMessage shorter = new ReceivedMessage(
                shorter(message.topic()),
                message.partition(),
                message.offset(),
                key == null ? null : shorter(key),
                value,
                headers(message.headers()));
        return new DeadLetter(
                letter.group(),
                letter.eventId(),
                shorter(letter.eventType()),
                letter.qualifiedKey(),
                shorter,
                letter.attempts(),
                letter.errorClass(),
                ErrorText.cut(letter.error(), 2_000) + " (" + what + ": " + ErrorText.cut(reason, 1_000) + ")",
                letter.failedAt());
    }

    private static Map<String, String> headers(Map<String, String> headers) {
        Map<String, String> kept = new LinkedHashMap<>();
        headers.forEach((name, value) -> {
            if (KEPT.contains(name) && value.length() <= LONGEST_HEADER) {
                kept.put(name, StorableText.sanitize(value));
            }
        });
        return kept;
    }

    private static String shorter(String text) {
        String clean = StorableText.sanitize(text);
        return clean.length() <= LONGEST_TEXT ? clean : IndexableKey.digested(clean, LONGEST_TEXT);
    }
}
