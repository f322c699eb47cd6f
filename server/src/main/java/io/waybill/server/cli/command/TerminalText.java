package io.waybill.server.cli.command;

import io.waybill.internal.LogText;

/** Escapes text from events, databases and brokers for output on a terminal. */
public final class TerminalText {
    private TerminalText() {}

    /** Replaces control and direction characters with visible escapes, so that content cannot move the cursor or hide text. */
    public static String escape(String text) {
        if (text.chars().noneMatch(TerminalText::dangerous)) {
            return text;
        }
        StringBuilder safe = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n') {
                safe.append("\\n");
            } else if (c == '\t') {
                safe.append("\\t");
            } else if (c == '\r') {
                safe.append("\\r");
            } else if (dangerous(c)) {
                safe.append(String.format("\\u%04x", (int) c));
            } else {
                safe.append(c);
            }
        }
        return safe.toString();
    }

    /** Escapes one line of JSON. Such characters occur only inside strings or between tokens. */
    public static String escapeJson(String json) {
        StringBuilder safe = new StringBuilder(json.length());
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (c == '\n' || c == '\r' || c == '\t') {
                safe.append(' ');
            } else if (dangerous(c)) {
                safe.append(String.format("\\u%04x", (int) c));
            } else {
                safe.append(c);
            }
        }
        return safe.toString();
    }

    public static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length - 1) + "…";
    }

    private static boolean dangerous(int c) {
        return LogText.isUnsafe((char) c);
    }
}
