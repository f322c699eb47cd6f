package io.waybill.internal;

import org.jspecify.annotations.Nullable;

/**
 * Makes external text (event types, keys, topics, error messages) safe for log lines and terminals. Such text must not forge a log line
 * or send escape sequences to a terminal.
 */
public final class LogText {
    private static final int LONGEST_NAME = 300;

    private LogText() {}

    /**
     * Returns the text on one line: with a space in place of each line break or tab, and a question mark in place of every other
     * {@linkplain #isUnsafe unsafe} character.
     */
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

    /** Returns {@link #oneLine} of the text, truncated to 300 characters. */
    public static String name(@Nullable String text) {
        String line = oneLine(text);
        return line.length() <= LONGEST_NAME ? line : line.substring(0, LONGEST_NAME - 1) + "…";
    }

    private static String replaced(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            clean.append(c == '\n' || c == '\r' || c == '\t' ? ' ' : isUnsafe(c) ? '?' : c);
        }
        return clean.toString();
    }

    /**
     * Whether a character can start a new line, move the cursor of a terminal or hide text: control characters (0x1b and 0x9b start
     * escape sequences), line separators, and marks that change the text direction.
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
