package io.waybill.jdbc;

import java.util.Locale;

/** What becomes of a row that was taken in. */
enum LayoutStep {
    CLAIM,
    SUCCESS,
    FAILURE,
    DEAD;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
