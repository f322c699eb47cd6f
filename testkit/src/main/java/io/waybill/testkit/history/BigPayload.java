package io.waybill.testkit.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Stands for a payload that is too big to be kept by the thousand: its length and its digest. */
final class BigPayload {
    private static final int LONGEST = 10_000;

    private BigPayload() {}

    /** Returns the payload itself when it is short. Two payloads are equal when their summaries are. */
    static String summary(String payload) {
        if (payload.length() <= LONGEST) {
            return payload;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(payload.getBytes(UTF_8));
            return "payload of " + payload.length() + " characters, SHA-256 "
                    + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e); // every Java platform has it
        }
    }
}
