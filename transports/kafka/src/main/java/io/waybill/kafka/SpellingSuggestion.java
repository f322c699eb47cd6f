package io.waybill.kafka;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
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

    /** Levenshtein distance; ".", "-" and "_" count as equal, because they are easily confused. */
    private static int distance(String first, String second) {
        String a = first.toLowerCase(Locale.ROOT).replaceAll("[-_]", ".");
        String b = second.toLowerCase(Locale.ROOT).replaceAll("[-_]", ".");
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
