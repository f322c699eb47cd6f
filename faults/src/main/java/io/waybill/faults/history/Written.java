package io.waybill.faults.history;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;

/**
 * An event as a writer appended it, whether or not its transaction was committed.
 *
 * @param n the number of the change within its key, from 1, given under the lock of the business row
 * @param headers those that the reader must find, beside Waybill's own
 */
public record Written(UUID id, String type, String key, long n, String payload, Map<String, String> headers) {

    /** Returns an event whose payload contains the key, the number, the text and a hash of all three. */
    public static Written of(String type, String key, long n, String text, Map<String, String> headers) {
        String payload = "{\"key\":\"" + key + "\",\"n\":" + n + ",\"text\":\"" + text + "\",\"hash\":\""
                + hash(key + "|" + n + "|" + text) + "\"}";
        return new Written(UUID.randomUUID(), type, key, n, payload, headers);
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // every Java platform supports SHA-256
        }
    }

    @Override
    public String toString() {
        return key + "#" + n + " " + id;
    }
}
