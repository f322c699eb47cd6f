package io.waybill.internal;

/** How much a misspelt name differs from a known one. */
final class EditDistance {
    private EditDistance() {}

    /**
     * Returns the number of single-character edits that turn one text into the other. Swapping two neighbouring characters counts
     * as one edit. Upper and lower case count as equal.
     */
    static int between(String left, String right) {
        int[][] edits = new int[left.length() + 1][right.length() + 1];
        for (int i = 0; i <= left.length(); i++) {
            for (int j = 0; j <= right.length(); j++) {
                if (i == 0 || j == 0) {
                    edits[i][j] = i + j;
                    continue;
                }
                int replacement = same(left, i, right, j) ? 0 : 1;
                edits[i][j] =
                        Math.min(edits[i - 1][j - 1] + replacement, Math.min(edits[i - 1][j], edits[i][j - 1]) + 1);
                if (i > 1 && j > 1 && same(left, i, right, j - 1) && same(left, i - 1, right, j)) {
                    edits[i][j] = Math.min(edits[i][j], edits[i - 2][j - 2] + 1);
                }
            }
        }
        return edits[left.length()][right.length()];
    }

    private static boolean same(String left, int i, String right, int j) {
        return Character.toLowerCase(left.charAt(i - 1)) == Character.toLowerCase(right.charAt(j - 1));
    }
}
