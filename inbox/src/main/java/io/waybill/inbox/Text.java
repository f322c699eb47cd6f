package io.waybill.inbox;

/** Text that databases and brokers can carry: no NUL, and no half surrogate pairs, which a JSON escape can hide. */
final class Text {
    private Text() {}

    static boolean isStorable(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0 || Character.isSurrogate(c)) {
                return storable(text).equals(text); // rare, and a whole pair is fine
            }
        }
        return true;
    }

    /** The same with a question mark for each character that is not. */
    static String storable(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            boolean bad = c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
            clean.appendCodePoint(bad ? '?' : c);
        });
        return clean.toString();
    }
}
