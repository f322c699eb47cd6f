package io.waybill.internal;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that a user probably meant. */
public final class Spelling {
    private Spelling() {}

    /** Returns the known name that is most similar to a misspelt one; empty when none is similar. */
    public static Optional<String> closest(String misspelt, Collection<String> known) {
        int tolerance = Math.max(3, misspelt.length() / 4);
        return known.stream()
                .filter(name -> distance(misspelt, name) <= tolerance)
                .min(Comparator.comparingInt((String name) -> distance(misspelt, name))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** Counts ".", "-" and "_" as the same character, because users confuse them. */
    private static int distance(String first, String second) {
        return EditDistance.between(first.replaceAll("[-_]", "."), second.replaceAll("[-_]", "."));
    }
}
