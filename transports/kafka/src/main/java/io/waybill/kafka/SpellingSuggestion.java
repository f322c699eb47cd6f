package io.waybill.kafka;

import io.waybill.internal.EditDistance;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Suggests the known name that is closest to a misspelt one. */
final class SpellingSuggestion {
    private SpellingSuggestion() {}

    static Optional<String> closest(String name, Collection<String> known) {
        int tolerance = Math.max(3, name.length() / 4);
        return known.stream()
                .filter(candidate -> distance(name, candidate) <= tolerance)
                .min(Comparator.comparingInt((String candidate) -> distance(name, candidate))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** Counts ".", "-" and "_" as the same character, because users confuse them. */
    private static int distance(String first, String second) {
        return EditDistance.between(first.replaceAll("[-_]", "."), second.replaceAll("[-_]", "."));
    }
}
