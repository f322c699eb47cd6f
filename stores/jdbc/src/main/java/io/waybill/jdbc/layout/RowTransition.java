package io.waybill.jdbc.layout;

import java.util.Locale;

/** A change of a row of the served table, as a layout names it. */
enum RowTransition {
    CLAIM,
    SUCCESS,
    FAILURE,
    DEAD;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
