package io.waybill.internal;

import org.jspecify.annotations.Nullable;

/**
 * Text from outside (event types, keys, topics, error messages) for a log line or a terminal. Such text must not look like
 * another log line, and must not send escape sequences to a terminal.
 */
public final class LogText {
    private static final int LONGEST_NAME = 300;

    private LogText() {}

    /** The text on one line: each {@linkplain #isUnsafe unsafe} character becomes a question mark. */
    public static String oneLine(@Nullable String text) {
        if (text == null) {
            return "null";
        }
        for (int i = 0; i < text.length(); i++) {
            if (isUnsafe(text.charAt(i))) {
                return replaced(text);
            }
        }
        return text;
    }

    /** {@link #oneLine} of a name, cut when it is longer than any good one. */
    public static String name(@Nullable String text) {
        String line = oneLine(text);
        return line.length() <= LONGEST_NAME ? line : line.substring(0, LONGEST_NAME - 1) + "…";
    }

    private static String replaced(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            clean.append(isUnsafe(c) ? '?' : c);
        }
        return clean.toString();
    }

    /**
     * Whether a character could begin a new line, move a terminal's cursor or hide text: controls, of which 0x1b and 0x9b begin
     * escape sequences, line separators, and marks that change the direction of text.
     */
    public static boolean isUnsafe(char c) {
        return Character.isISOControl(c)
                || (c >= '\u200e' && c <= '\u200f')
                || (c >= '\u2028' && c <= '\u202e')
                || (c >= '\u2066' && c <= '\u2069')
                || c == '\u061c'
                || c == '\ufeff';
    }
}
