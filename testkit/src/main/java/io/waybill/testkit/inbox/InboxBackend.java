package io.waybill.testkit.inbox;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.inbox.Effects;
import io.waybill.inbox.IdempotencyKeys;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxView;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * New, empty inboxes on a real database, for {@link InboxContract} and {@link InboxOperatorContract}.
 *
 * @param <T> the type of a transaction
 */
public interface InboxBackend<T> extends AutoCloseable {
    InboxStore<T> store();

    InboxView view();

    InboxDeadLetters deadLetters();

    Effects effects(String group);

    IdempotencyKeys<T> idempotencyKeys();

    /** The outbox in the same database. */
    Outbox<T> outbox();

    /** Inserts a row into a table without a unique key, so that an event that is applied twice leaves two rows. */
    void writeLedger(T transaction, String line);

    /** Returns the lines of the ledger in the order of their insertion. */
    List<String> ledger();

    /** Returns all events of the outbox. */
    List<Event> appended();

    /** Simulates that time has passed: moves every recorded time this far into the past. */
    void age(Duration time);

    /** Returns the number of events that the group has marked as processed or dead. */
    long marks(String group);

    /** Returns the number of completed effects of the group. */
    long effectCount(String group);

    /** An exception of the driver that means that the connection to the database is lost. */
    default Exception connectionError() {
        return new SQLException("connection lost", "08006");
    }

    /** An exception of the driver that means that the database accepts no writes now. */
    default Exception readOnlyError() {
        return new SQLException("read-only", "25006");
    }

    @Override
    void close();
}
