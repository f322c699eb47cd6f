package io.waybill.internal;

/**
 * Text that every database and every broker can carry. It holds no NUL, which PostgreSQL cannot store, and no unpaired surrogate,
 * which UTF-8 cannot encode. A JSON escape can contain both.
 */
public final class StorableText {
    private StorableText() {}

    public static boolean isStorable(String text) {
        return text.indexOf(0) < 0 && unpairedSurrogate(text) < 0;
    }

    /** Returns the index of the first unpaired surrogate, or -1 if there is none. */
    public static int unpairedSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }

    /** Returns the text with a question mark in place of each NUL and each unpaired surrogate. */
    public static String sanitize(String text) {
        if (isStorable(text)) {
            return text;
        }
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            boolean bad = c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
            clean.appendCodePoint(bad ? '?' : c);
        });
        return clean.toString();
    }

    /** Returns the {@linkplain #sanitize(String) sanitized} text, shortened to fit into a column of this length. */
    public static String sanitize(String text, int maxLength) {
        String clean = sanitize(text);
        return clean.length() <= maxLength ? clean : clean.substring(0, maxLength - 1) + "…";
    }
}
