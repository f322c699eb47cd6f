package io.waybill.server.config;

import io.waybill.internal.EditDistance;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the known name that is closest to a misspelled one. */
public final class Suggestion {
    private Suggestion() {}

    /** Returns " Did you mean 'x'?", or an empty text when no known name is similar. */
    public static String sentence(String wrong, Collection<String> known) {
        return nearest(wrong, known)
                .map(right -> " Did you mean '" + right + "'?")
                .orElse("");
    }

    static Optional<String> nearest(String wrong, Collection<String> known) {
        return known.stream()
                .filter(right -> EditDistance.between(wrong, right) <= Math.max(2, right.length() / 3))
                .min(Comparator.comparingInt(right -> EditDistance.between(wrong, right)));
    }
}
