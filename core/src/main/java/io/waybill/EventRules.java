package io.waybill;

import io.waybill.internal.StorableText;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rules for every new event. Checking them at append reports bad input to the code that wrote it. */
final class EventRules {
    static final int LONGEST_NAME = 255;
    static final int LONGEST_HEADER = 32_768;

    private static final Pattern LIMIT = Pattern.compile("[1-9][0-9]{0,4}");

    private EventRules() {}

    static void check(
            String type,
            String aggregateType,
            String key,
            String payload,
            int version,
            @Nullable String topic,
            Map<String, String> headers) {
        name("event type", type);
        name("aggregate type", aggregateType);
        name("key", key);
        text("payload", payload);
        if (version < 1) {
            throw new WaybillException("The event version must be 1 or more, not " + version + ".");
        }
        if (topic != null) {
            name("topic", topic);
        }
        headers(headers);
        String partitionKey = headers.get(Headers.PARTITION_KEY);
        if (partitionKey != null) {
            name("partition key", partitionKey);
        }
        String attempts = headers.get(Headers.MAX_ATTEMPTS);
        if (attempts != null && !isLimit(attempts)) {
            throw new WaybillException(
                    "The limit of attempts of an event must be a number from 1 to 99999, not " + attempts + ".");
        }
    }

    /** Whether the text is a valid limit of attempts. */
    static boolean isLimit(String attempts) {
        return LIMIT.matcher(attempts).matches();
    }

    private static void name(String what, String value) {
        if (value.isBlank()) {
            throw new WaybillException("The " + what + " of an event must not be empty.");
        }
        if (value.length() > LONGEST_NAME) {
            throw new WaybillException("The " + what + " of an event is " + value.length()
                    + " characters long, at most " + LONGEST_NAME + " are allowed: " + value.substring(0, 40) + "…");
        }
        text(what, value);
    }

    private static void headers(Map<String, String> headers) {
        headers.forEach((name, value) -> {
            name("header name", name);
            if (value.length() > LONGEST_HEADER) {
                throw new WaybillException("Header " + name + " is " + value.length() + " characters long, at most "
                        + LONGEST_HEADER + " are allowed. Put large content into the payload.");
            }
            text("header " + name, value);
        });
    }

    private static void text(String what, String value) {
        int nul = value.indexOf(0);
        if (nul >= 0) {
            throw new WaybillException("The " + what + " contains a NUL character at position " + nul
                    + ". Databases cannot store it: remove it or encode the content.");
        }
        int surrogate = StorableText.unpairedSurrogate(value);
        if (surrogate >= 0) {
            throw new WaybillException("The " + what + " is not valid Unicode: unpaired surrogate at position "
                    + surrogate + ". Check how the text was decoded.");
        }
    }
}
