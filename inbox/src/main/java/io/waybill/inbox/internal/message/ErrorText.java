package io.waybill.inbox.internal.message;

import io.waybill.internal.StorableText;
import org.jspecify.annotations.Nullable;

/** The texts of errors, as the inbox stores them. */
public final class ErrorText {
    private static final int LONGEST = 4_000;

    private ErrorText() {}

    /** Returns the message of the error, or the name of its class if it has none. */
    public static String of(Throwable error) {
        @Nullable String message;
        try {
            message = error.getMessage();
        } catch (RuntimeException e) { // getMessage() of an application's exception class may throw
            message = null;
        }
        String text = message == null || message.isBlank() ? error.getClass().getSimpleName() : message.strip();
        return cut(StorableText.sanitize(text));
    }

    /** Returns the text, or its beginning if it is too long to store. */
    public static String cut(String text) {
        return cut(text, LONGEST);
    }

    static String cut(String text, int longest) {
        return text.length() <= longest ? text : text.substring(0, longest - 1) + "…";
    }
}
