package io.waybill.nats;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.function.IntPredicate;

/** Percent encoding: NATS carries printable ASCII in subjects and headers, and events carry any text. */
final class Percent {
    private Percent() {}

    /** Encodes what is not printable, the percent sign, and whatever else is not {@code plain}. */
    static String encode(String text, IntPredicate plain) {
        int first = 0;
        while (first < text.length() && staysAsItIs(text.charAt(first), plain)) {
            first++;
        }
        if (first == text.length()) {
            return text;
        }
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (byte b : text.getBytes(UTF_8)) {
            if (staysAsItIs(b, plain)) {
                encoded.append((char) b);
            } else {
                encoded.append('%')
                        .append(Character.toUpperCase(Character.forDigit((b >> 4) & 15, 16)))
                        .append(Character.toUpperCase(Character.forDigit(b & 15, 16)));
            }
        }
        return encoded.toString();
    }

    private static boolean staysAsItIs(int c, IntPredicate plain) {
        return c > 0x20 && c < 0x7f && c != '%' && plain.test(c);
    }

    /** What is no encoding, because others wrote it, stays as it is. */
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
