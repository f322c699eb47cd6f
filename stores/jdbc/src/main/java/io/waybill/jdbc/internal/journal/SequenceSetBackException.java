package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.assumption.PostgresAssumption;
import io.waybill.store.StoreException;

/**
 * Thrown when the journal's sequence would assign numbers that the cursors have already passed. {@link JournalStore} records this
 * in the database until the next rebase, and throws a {@link StoreException} to its callers.
 */
public final class SequenceSetBackException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SequenceSetBackException(int lane, long seen) {
        super(PostgresAssumption.NOT_SET_BACK.exception(lane + "|" + seen).getMessage());
    }
}
