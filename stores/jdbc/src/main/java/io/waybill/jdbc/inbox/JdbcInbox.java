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
 * The inbox on any {@link DatabaseProduct}. Any number of consumer groups share the tables. The inbox works behind a connection pooler in
 * transaction mode. Your own transactions must use READ COMMITTED isolation, which is the default of PostgreSQL and H2 but not
 * of MariaDB.
 */
public final class JdbcInbox {
    private final Transactions database;
    private final AtomicLong keyCalls = new AtomicLong();

    private JdbcInbox(Transactions database) {
        this.database = database;
    }

    public static JdbcInbox on(DataSource dataSource) {
        return new JdbcInbox(new Transactions(requireNonNull(dataSource, "dataSource")).forStore());
    }

    public InboxStore<Connection> store() {
        return new JdbcInboxStore(database, null);
    }

    /**
     * Returns a store that also uses an existing table of processed events. The ids in it count as processed, and the inbox adds the ids
     * that it processes, in the same transaction. The table has no column for the group, so only one group can use it.
     *
     * @param table {@code schema.table}, with a unique column {@code event_id} of type uuid. Columns named {@code consumer_name},
     *     {@code consumer_group}, {@code source_topic}, {@code topic}, {@code event_type}, {@code entity_id}, {@code aggregate_id} or
     *     {@code payload} are filled if they take text or JSON; all other columns have defaults
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

    /** Returns the effects of one group. They are pruned together with its processed events. */
    public Effects effects(String group) {
        return new EffectTable(database, requireNonNull(group, "group"));
    }

    /** Returns idempotency keys whose work runs in a new transaction. */
    public IdempotencyKeys<Connection> idempotencyKeys() {
        return idempotencyKeys(store());
    }

    /**
     * Returns idempotency keys whose work runs in the given transactions. The same transaction stores the response. Acquiring the key
     * briefly needs a second connection while such a transaction may be open.
     */
    public IdempotencyKeys<Connection> idempotencyKeys(InboxTransactions<Connection> transactions) {
        return new IdempotencyKeyTable(database, requireNonNull(transactions, "transactions"), keyCalls);
    }
}
