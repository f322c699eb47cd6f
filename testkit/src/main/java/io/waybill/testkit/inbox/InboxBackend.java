package io.waybill.testkit.inbox;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.inbox.Effects;
import io.waybill.inbox.IdempotencyKeys;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxView;
import java.time.Duration;
import java.util.List;

/**
 * Fresh, empty inboxes on a real database, as {@link InboxContract} needs them.
 *
 * @param <T> what a transaction is here
 */
public interface InboxBackend<T> extends AutoCloseable {
    InboxStore<T> store();

    InboxView view();

    InboxDeadLetters deadLetters();

    Effects effects(String group);

    IdempotencyKeys<T> idempotencyKeys();

    /** The outbox in the same database. */
    Outbox<T> outbox();

    /** A row without a unique key: applied twice, it is there twice. */
    void writeLedger(T transaction, String line);

    /** All rows, in the order in which they were written. */
    List<String> ledger();

    /** Everything in the outbox. */
    List<Event> appended();

    /** Lets time pass: everything recorded so far lies this much further in the past. */
    void age(Duration time);

    /** How many marks there are of what a group has decided. */
    long marks(String group);

    /** How many effects of a group are recorded as done. */
    long effectCount(String group);

    @Override
    void close();
}
