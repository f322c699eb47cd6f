package io.waybill;

import java.util.LinkedHashMap;
import java.util.Map;

/** What every event must fulfil, so that bad input is refused at append, where its writer can still see it. */
final class EventRules {
    static final int LONGEST_NAME = 255;
    static final int LONGEST_HEADER = 32_768;

    private EventRules() {}

    static String name(String what, String value) {
        if (value.isBlank()) {
            throw new WaybillException("The " + what + " of an event must not be empty.");
        }
        if (value.length() > LONGEST_NAME) {
            throw new WaybillException("The " + what + " of an event is " + value.length()
                    + " characters long, at most " + LONGEST_NAME + " are allowed: " + value.substring(0, 40) + "…");
        }
        return text(what, value);
    }

    static int positive(String what, int value) {
        if (value < 1) {
            throw new WaybillException("The " + what + " must be 1 or more, not " + value + ".");
        }
        return value;
    }

    static Map<String, String> headers(Map<String, String> headers) {
        headers.forEach((name, value) -> {
            name("header name", name);
            if (value.length() > LONGEST_HEADER) {
                throw new WaybillException("Header " + name + " is " + value.length() + " characters long, at most "
                        + LONGEST_HEADER + " are allowed. Put large content into the payload.");
            }
            text("header " + name, value);
        });
        return new LinkedHashMap<>(headers);
    }

    /** Refuses NUL, which PostgreSQL cannot store, and half surrogate pairs, which no UTF-8 text can carry. */
    static String text(String what, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == 0) {
                throw new WaybillException("The " + what + " holds a NUL character at position " + i
                        + ". Databases cannot store it: remove it or encode the content.");
            }
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < value.length()
                        && Character.isLowSurrogate(value.charAt(i + 1));
                if (!pair) {
                    throw new WaybillException(
                            "The " + what + " is not valid Unicode: half a surrogate pair at position " + i
                                    + ". Check how the text was decoded.");
                }
                i++;
            }
        }
        return value;
    }
}
