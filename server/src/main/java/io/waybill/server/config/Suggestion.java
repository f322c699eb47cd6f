package io.waybill.server.config;

import io.waybill.internal.EditDistance;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds what somebody probably meant. */
public final class Suggestion {
    private Suggestion() {}

    /** " Did you mean 'x'?", or nothing when nothing is near. */
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
