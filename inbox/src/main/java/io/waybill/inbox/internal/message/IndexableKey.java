package io.waybill.inbox.internal.message;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Keys that fit into an index of every database. A longer key is replaced by its prefix and a digest of the whole key, so that
 * different keys stay different and equal keys stay equal.
 */
public final class IndexableKey {
    /** The length of the column in MariaDB and H2. */
    private static final int MAX_CHARACTERS = 511;

    /** An index entry of PostgreSQL holds 2,700 bytes, of which the group may need 1,020. */
    private static final int MAX_BYTES = 1_600;

    private static final int PREFIX_LENGTH = 200;

    private IndexableKey() {}

    public static String of(String key) {
        boolean fits = key.length() * 3 <= MAX_BYTES // the common case, without encoding the key
                || (key.length() <= MAX_CHARACTERS && key.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES);
        return fits && key.length() <= MAX_CHARACTERS ? key : digested(key, PREFIX_LENGTH);
    }

    /** Returns the beginning of the text and a digest of the whole text. */
    static String digested(String text, int prefixLength) {
        int end = Math.min(prefixLength, text.length());
        if (end > 0 && Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end) + "…sha256:" + sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }
}
