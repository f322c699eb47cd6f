package io.waybill.server.cli;

import io.waybill.internal.LogText;

/** Makes text from messages, databases and brokers harmless to a terminal. */
final class Safe {
    private Safe() {}

    /** Control and direction characters become visible escapes, so that no content can move the cursor or hide text. */
    static String text(String text) {
        if (text.chars().noneMatch(Safe::dangerous)) {
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

    /** The same for one line of JSON, in which such characters can only stand inside strings or between tokens. */
    static String json(String json) {
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

    static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length - 1) + "…";
    }

    private static boolean dangerous(int c) {
        return LogText.isUnsafe((char) c);
    }
}
