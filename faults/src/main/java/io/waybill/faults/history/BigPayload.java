package io.waybill.faults.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A summary of a large payload, its length and its digest, so that a history of thousands of them fits into memory. */
final class BigPayload {
    private static final int LONGEST = 10_000;

    private BigPayload() {}

    /** Returns the payload itself if it is short. Payloads with equal summaries are equal. */
    static String summary(String payload) {
        if (payload.length() <= LONGEST) {
            return payload;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(payload.getBytes(UTF_8));
            return "payload of " + payload.length() + " characters, SHA-256 "
                    + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // every Java platform supports SHA-256
        }
    }
}
