package io.waybill.server.config;

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
                .filter(right -> distance(wrong, right) <= Math.max(2, right.length() / 3))
                .min(Comparator.comparingInt(right -> distance(wrong, right)));
    }

    /** The number of single-character edits between the two names. Swapping two neighbours counts as one edit; case is ignored. */
    private static int distance(String left, String right) {
        int[][] d = new int[left.length() + 1][right.length() + 1];
        for (int i = 0; i <= left.length(); i++) {
            for (int j = 0; j <= right.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int change = same(left, i, right, j) ? 0 : 1;
                d[i][j] = Math.min(d[i - 1][j - 1] + change, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
                if (i > 1 && j > 1 && same(left, i, right, j - 1) && same(left, i - 1, right, j)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[left.length()][right.length()];
    }

    private static boolean same(String left, int i, String right, int j) {
        return Character.toLowerCase(left.charAt(i - 1)) == Character.toLowerCase(right.charAt(j - 1));
    }
}
