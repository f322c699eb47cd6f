package io.waybill.inbox;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Names that fit into an index of every database. A longer one becomes its beginning and a digest of all of it, so that different
 * names stay different, and equal ones equal.
 */
final class EntityName {
    /** What MariaDB and H2 have a column for. */
    private static final int MOST_CHARACTERS = 511;

    /** PostgreSQL's indexes take 2,700 bytes, of which a group may need 1,020. */
    private static final int MOST_BYTES = 1_600;

    private static final int BEGINNING = 200;

    private EntityName() {}

    static String of(String name) {
        boolean fits = name.length() * 3 <= MOST_BYTES // in the usual case, without counting
                || (name.length() <= MOST_CHARACTERS && name.getBytes(StandardCharsets.UTF_8).length <= MOST_BYTES);
        return fits && name.length() <= MOST_CHARACTERS ? name : digested(name, BEGINNING);
    }

    /** The beginning of the text and the digest of all of it. */
    static String digested(String text, int beginning) {
        int end = Math.min(beginning, text.length());
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
