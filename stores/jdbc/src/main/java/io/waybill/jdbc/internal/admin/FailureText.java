package io.waybill.jdbc.internal.admin;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.regex.Pattern;

/** Normalises error messages, so that messages that differ only in values have the same text. */
final class FailureText {
    private static final int LONGEST = 500;
    private static final Pattern QUOTED = Pattern.compile("\"[^\"]{0,200}\"|'[^']{0,200}'|`[^`]{0,200}`");
    private static final Pattern ID = Pattern.compile("(?i)\\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b");
    private static final Pattern ADDRESS =
            Pattern.compile("(?:\\d{1,3}\\.){3}\\d{1,3}(?::\\d+)?|(?i)\\b[a-z0-9][a-z0-9.-]{0,200}:\\d{2,5}\\b");
    private static final Pattern KEY = Pattern.compile("(?<=\\bkey )[^\\s,);]{1,200}");
    private static final Pattern HEX = Pattern.compile("(?i)\\b(?:0x[0-9a-f]+|(?=[a-f]*\\d)[0-9a-f]{16,})\\b");
    private static final Pattern NUMBER = Pattern.compile("\\d+(?:[.,]\\d+)*");

    private FailureText() {}

    static String normalised(String error) {
        String text = error.length() > LONGEST ? error.substring(0, LONGEST) : error;
        text = QUOTED.matcher(text).replaceAll("<value>");
        text = ID.matcher(text).replaceAll("<id>");
        text = KEY.matcher(text).replaceAll("<key>");
        text = ADDRESS.matcher(text).replaceAll("<address>");
        text = HEX.matcher(text).replaceAll("<id>");
        return NUMBER.matcher(text).replaceAll("<number>");
    }

    static String fingerprint(String type, String topic, String normalised) {
        return UUID.nameUUIDFromBytes((type + '\n' + topic + '\n' + normalised).getBytes(StandardCharsets.UTF_8))
                .toString();
    }
}
