package io.waybill.testkit.store;

import io.waybill.Event;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxView;
import io.waybill.store.OutboxStore;
import java.time.Duration;
import java.util.UUID;

/** A fresh, empty outbox on a real database, as {@link StoreContract} needs it. */
public interface StoreBackend extends AutoCloseable {
    OutboxStore store();

    OutboxView view();

    DeadLetters deadLetters();

    /** Begins a business transaction of its own, beside any others. */
    Writer begin();

    /**
     * Lets time pass: every lease, due time and age recorded so far lies this much further in the past. A negative time sets the
     * database's clock back.
     */
    void age(Duration time);

    /** Deletes the event's row, as a person may do by hand. */
    void delete(UUID id);

    @Override
    void close();

    /** A transaction that appends. Closing it without a commit rolls it back. */
    interface Writer extends AutoCloseable {
        void append(Event event);

        void commit();

        @Override
        void close();
    }
}
