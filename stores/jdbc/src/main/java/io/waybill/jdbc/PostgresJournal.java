package io.waybill.jdbc;

import static java.util.Objects.requireNonNull;

import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxView;
import io.waybill.jdbc.internal.admin.JdbcDeadLetters;
import io.waybill.jdbc.internal.admin.JdbcView;
import io.waybill.jdbc.internal.journal.HeldEventRepair;
import io.waybill.jdbc.internal.journal.JournalQueries;
import io.waybill.jdbc.internal.journal.JournalStore;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.OutboxStore;
import javax.sql.DataSource;

/**
 * The journal engine on PostgreSQL 13 or newer: {@code outbox_events} is append-only, a cursor for each lane tells how far it
 * has come, and only events that did not go out at once leave a row in a side table. Works behind a transaction-mode
 * connection pooler: nothing outlives a transaction but the rows. Connections must be in READ COMMITTED isolation.
 */
public final class PostgresJournal implements JdbcEngine {
    private final JournalStore store;
    private final JdbcView view;
    private final JdbcDeadLetters deadLetters;

    private PostgresJournal(DataSource dataSource) {
        Transactions database = new Transactions(requireNonNull(dataSource, "dataSource"), Engine.JOURNAL).ofStore();
        this.store = new JournalStore(database);
        this.view = new JdbcView(database, dialect -> JournalQueries.VIEW);
        this.deadLetters = new JdbcDeadLetters(database, view, new HeldEventRepair());
    }

    public static PostgresJournal on(DataSource dataSource) {
        return new PostgresJournal(dataSource);
    }

    @Override
    public OutboxStore store() {
        return store;
    }

    @Override
    public OutboxView view() {
        return view;
    }

    @Override
    public DeadLetters deadLetters() {
        return deadLetters;
    }
}
