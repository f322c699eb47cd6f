package io.waybill.admin;

import io.waybill.Event;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The corrected content of an event that cannot be delivered.
 *
 * @param id the event to correct
 * @param payload the new payload, as JSON
 * @param headers the new headers; {@link #HEADER} is added to them
 * @param expectedHash the {@link #hash} of the content that the operator has edited
 */
public record Correction(UUID id, String payload, Map<String, String> headers, String expectedHash) {
    /** The header of the corrected event that contains the id of the original. */
    public static final String HEADER = "correction-of";

    public Correction {
        headers = Map.copyOf(headers);
    }

    /** Returns a hash of everything in the event that a consumer sees. */
    public static String hash(Event event) {
        StringBuilder content = new StringBuilder();
        append(content, event.id().toString());
        append(content, event.type());
        append(content, event.key());
        append(content, event.destination());
        append(content, event.payload());
        new TreeMap<>(event.headers()).forEach((name, value) -> {
            append(content, name);
            append(content, value);
        });
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256")
                            .digest(content.toString().getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime provides SHA-256.", e);
        }
    }

    /** Each part is preceded by its length, so that different parts cannot give the same text. */
    private static void append(StringBuilder content, String part) {
        content.append(part.length()).append(':').append(part);
    }
}
