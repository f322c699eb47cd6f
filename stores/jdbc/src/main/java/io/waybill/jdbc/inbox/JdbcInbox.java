package io.waybill.jdbc.inbox;

import static java.util.Objects.requireNonNull;

import io.waybill.inbox.Effects;
import io.waybill.inbox.IdempotencyKeys;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxTransactions;
import io.waybill.inbox.InboxView;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.internal.sql.Transactions;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * Inboxes on any {@link DatabaseProduct}; any number of consumer groups share the tables. Works behind a transaction-mode connection
 * pooler. Transactions of your own must be READ COMMITTED, the default
 * of PostgreSQL and H2, not of MariaDB.
 */
public final class JdbcInbox {
    private final Transactions database;
    private final AtomicLong keyCalls = new AtomicLong();

    private JdbcInbox(Transactions database) {
        this.database = database;
    }

    public static JdbcInbox on(DataSource dataSource) {
        return new JdbcInbox(new Transactions(requireNonNull(dataSource, "dataSource")).ofStore());
    }

    public InboxStore<Connection> store() {
        return new JdbcInboxStore(database, null);
    }

    /**
     * For a consumer that had a table of processed events before: the ids in it count as processed, and those that the inbox
     * processes are added to it, in the same transaction. Such a table knows no groups, so one group uses it.
     *
     * @param table {@code schema.table}, with a column {@code event_id} that is a uuid and unique; all others have defaults
     */
    public InboxStore<Connection> store(String table) {
        return new JdbcInboxStore(database, new ExistingProcessedTable(requireNonNull(table, "table")));
    }

    public InboxView view() {
        return new JdbcInboxView(database);
    }

    public InboxDeadLetters deadLetters() {
        return new InboxDeadLetterTable(database);
    }

    /** The effects of one group; they are forgotten with its processed events. */
    public Effects effects(String group) {
        return new EffectTable(database, requireNonNull(group, "group"));
    }

    /** The work behind a key gets a new transaction. */
    public IdempotencyKeys<Connection> idempotencyKeys() {
        return idempotencyKeys(store());
    }

    /**
     * The work behind a key runs in these transactions, and the same transaction stores its response. Acquiring the key briefly
     * needs a second connection, while such a transaction may be open.
     */
    public IdempotencyKeys<Connection> idempotencyKeys(InboxTransactions<Connection> transactions) {
        return new IdempotencyKeyTable(database, requireNonNull(transactions, "transactions"), keyCalls);
    }
}
