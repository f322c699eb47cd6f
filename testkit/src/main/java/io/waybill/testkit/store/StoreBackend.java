package io.waybill.testkit.store;

import io.waybill.Event;
import io.waybill.admin.BulkOperations;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.OutboxView;
import io.waybill.store.OutboxStore;
import java.time.Duration;
import java.util.UUID;

/** A new, empty outbox on a real database, for {@link StoreContract}, {@link RecoveryContract} and {@link OperatorContract}. */
public interface StoreBackend extends AutoCloseable {
    OutboxStore store();

    OutboxView view();

    DeadLetters deadLetters();

    /** The searches of a console, for {@link OperationsContract}. */
    default OutboxSearch search() {
        throw new UnsupportedOperationException("This backend supports no searches in pages.");
    }

    /** The actions of a console, for {@link OperationsContract}. */
    default OutboxActions actions() {
        throw new UnsupportedOperationException("This backend supports no actions but those on dead letters.");
    }

    /** The bulk operations of a console, for {@link OperationsContract}. */
    default BulkOperations bulk() {
        throw new UnsupportedOperationException("This backend supports no bulk operations.");
    }

    /** Begins a transaction that is independent of all others. */
    Writer begin();

    /**
     * Simulates that time has passed: moves every recorded lease, due time and age this far into the past. A negative time sets the
     * database's clock back.
     */
    void age(Duration time);

    /** Deletes the row of the event, as an operator might do by hand. */
    void delete(UUID id);

    @Override
    void close();

    /** A transaction that appends events. Closing it without a commit rolls it back. */
    interface Writer extends AutoCloseable {
        void append(Event event);

        void commit();

        @Override
        void close();
    }
}
