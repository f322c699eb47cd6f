package io.waybill.jdbc.layout;

import java.util.Locale;

/** What becomes of a row that was taken in. */
enum RowTransition {
    CLAIM,
    SUCCESS,
    FAILURE,
    DEAD;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
