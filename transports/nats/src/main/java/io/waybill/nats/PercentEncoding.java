package io.waybill.nats;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.function.IntPredicate;

/** Percent-encodes text: NATS accepts only printable ASCII in subjects and headers, while events contain any text. */
final class PercentEncoding {
    private PercentEncoding() {}

    /** Encodes the percent sign, all characters that are not printable ASCII, and those that {@code plain} rejects. */
    static String encode(String text, IntPredicate plain) {
        int first = 0;
        while (first < text.length() && isPlain(text.charAt(first), plain)) {
            first++;
        }
        if (first == text.length()) {
            return text;
        }
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (byte b : text.getBytes(UTF_8)) {
            if (isPlain(b, plain)) {
                encoded.append((char) b);
            } else {
                encoded.append('%')
                        .append(Character.toUpperCase(Character.forDigit((b >> 4) & 15, 16)))
                        .append(Character.toUpperCase(Character.forDigit(b & 15, 16)));
            }
        }
        return encoded.toString();
    }

    private static boolean isPlain(int c, IntPredicate plain) {
        return c > 0x20 && c < 0x7f && c != '%' && plain.test(c);
    }

    /** Decodes percent-encoded text. Sequences that are not valid encodings stay unchanged: other publishers may have written them. */
    static String decode(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        byte[] encoded = text.getBytes(UTF_8);
        ByteArrayOutputStream plain = new ByteArrayOutputStream(encoded.length);
        for (int i = 0; i < encoded.length; i++) {
            int high = i + 2 < encoded.length ? Character.digit(encoded[i + 1], 16) : -1;
            int low = i + 2 < encoded.length ? Character.digit(encoded[i + 2], 16) : -1;
            if (encoded[i] == '%' && high >= 0 && low >= 0) {
                plain.write(high << 4 | low);
                i += 2;
            } else {
                plain.write(encoded[i]);
            }
        }
        return plain.toString(UTF_8);
    }
}
