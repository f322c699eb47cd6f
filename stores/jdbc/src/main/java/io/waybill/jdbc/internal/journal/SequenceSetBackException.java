package io.waybill.jdbc.internal.journal;

import io.waybill.jdbc.internal.assumption.PostgresAssumption;
import io.waybill.store.StoreException;

/**
 * The journal's sequence gives out numbers that the cursors have passed. {@link JournalStore} remembers that until a rebase and tells
 * its callers with a {@link StoreException}.
 */
public final class SequenceSetBackException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SequenceSetBackException(int lane, long seen) {
        super(PostgresAssumption.NOT_SET_BACK.exception(lane + "|" + seen).getMessage());
    }
}
