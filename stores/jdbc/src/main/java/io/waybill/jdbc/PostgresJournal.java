package io.waybill.jdbc;

import static java.util.Objects.requireNonNull;

import io.waybill.admin.BulkOperations;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.OutboxView;
import io.waybill.jdbc.internal.admin.JdbcActions;
import io.waybill.jdbc.internal.admin.JdbcBulk;
import io.waybill.jdbc.internal.admin.JdbcDeadLetters;
import io.waybill.jdbc.internal.admin.JdbcSearch;
import io.waybill.jdbc.internal.admin.JdbcView;
import io.waybill.jdbc.internal.journal.JournalDeadLetters;
import io.waybill.jdbc.internal.journal.JournalStore;
import io.waybill.jdbc.internal.journal.OperatorQueries;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.OutboxStore;
import javax.sql.DataSource;

/**
 * The journal engine, on PostgreSQL 13 or newer. The table {@code outbox_events} is append-only, a cursor for each lane records which
 * events are settled, and only events that were not published at the first attempt get a row in a side table. The engine works
 * behind a connection pooler in transaction mode: it keeps no state in a session. Connections must use READ COMMITTED isolation.
 */
public final class PostgresJournal implements JdbcEngine {
    private final JournalStore store;
    private final JdbcView view;
    private final JdbcSearch search;
    private final JdbcActions actions;
    private final JdbcBulk bulk;
    private final JdbcDeadLetters deadLetters;

    private PostgresJournal(DataSource dataSource) {
        Transactions database = new Transactions(requireNonNull(dataSource, "dataSource"), Engine.JOURNAL).forStore();
        this.store = new JournalStore(database);
        this.view = new JdbcView(database, dialect -> OperatorQueries.VIEW);
        this.search = new JdbcSearch(database, dialect -> OperatorQueries.VIEW, dialect -> OperatorQueries.SEARCH);
        this.actions = new JdbcActions(database, new JournalDeadLetters(), JdbcOutbox.create());
        this.bulk = new JdbcBulk(database, search, actions, new JournalDeadLetters());
        this.deadLetters = new JdbcDeadLetters(view, actions);
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

    @Override
    public OutboxSearch search() {
        return search;
    }

    @Override
    public OutboxActions actions() {
        return actions;
    }

    @Override
    public BulkOperations bulk() {
        return bulk;
    }
}
