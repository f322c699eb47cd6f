package io.waybill.server.config;

import io.waybill.internal.Spelling;
import java.util.Collection;

/** Suggests the known name that is closest to a misspelt one. */
public final class Suggestion {
    private Suggestion() {}

    /** Returns " Did you mean 'x'?", or an empty text when no known name is similar. */
    public static String sentence(String wrong, Collection<String> known) {
        return Spelling.closest(wrong, known)
                .map(right -> " Did you mean '" + right + "'?")
                .orElse("");
    }
}
