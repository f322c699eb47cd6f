package io.waybill.internal;

import org.jspecify.annotations.Nullable;

/**
 * Text from outside (event types, keys, topics, error messages) for a log line or a terminal. Such text must not look like
 * another log line, and must not send escape sequences to a terminal.
 */
public final class LogText {
    private static final int LONGEST_NAME = 300;

    private LogText() {}

    /** The text on one line: each control, format and line-separating character becomes a question mark. */
    public static String oneLine(@Nullable String text) {
        if (text == null) {
            return "null";
        }
        for (int i = 0; i < text.length(); i++) {
            if (isUnsafe(text.charAt(i))) {
                return replaced(text, false);
            }
        }
        return text;
    }

    /** As {@link #oneLine}, but line breaks and tabs stay: for a terminal, where a text may have several lines. */
    public static String printable(String text) {
        return replaced(text, true);
    }

    /** {@link #oneLine} of a name, cut when it is longer than any good one. */
    public static String name(@Nullable String text) {
        String line = oneLine(text);
        return line.length() <= LONGEST_NAME ? line : line.substring(0, LONGEST_NAME - 1) + "…";
    }

    private static String replaced(String text, boolean lines) {
        StringBuilder clean = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean kept = lines && (c == '\n' || c == '\t');
            clean.append(!kept && isUnsafe(c) ? '?' : c);
        }
        return clean.toString();
    }

    /** Also C1 controls, of which 0x9b begins an escape sequence, and marks that reverse the direction of text. */
    private static boolean isUnsafe(char c) {
        return Character.isISOControl(c)
                || c == '\u2028'
                || c == '\u2029'
                || (c >= '\u200e' && c <= '\u200f')
                || (c >= '\u202a' && c <= '\u202e')
                || (c >= '\u2066' && c <= '\u2069')
                || c == '\u061c';
    }
}
