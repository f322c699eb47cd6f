package io.waybill.jdbc;

import static java.util.Objects.requireNonNull;

import io.waybill.operate.DeadLetters;
import io.waybill.operate.OutboxView;
import io.waybill.store.OutboxStore;
import javax.sql.DataSource;

/**
 * The queue engine on PostgreSQL 13 or newer: every event is a row of {@code outbox_events} that goes from PENDING over
 * CLAIMED to PUBLISHED. Works behind a transaction-mode connection pooler: nothing outlives a transaction but the rows.
 */
public final class PostgresQueue implements PostgresEngine {
    /** What becomes of the row of a published event. */
    public enum OnSuccess {
        /** It is marked PUBLISHED and stays until its retention ends. */
        MARK,
        /** It is deleted. */
        DELETE
    }

    private final QueueStore store;
    private final PostgresView view;
    private final PostgresDeadLetters deadLetters;

    private PostgresQueue(DataSource dataSource, OnSuccess onSuccess) {
        Database database = new Database(requireNonNull(dataSource, "dataSource"));
        this.store = new QueueStore(database, requireNonNull(onSuccess, "onSuccess"));
        this.view = new PostgresView(database, QueueQueries.VIEW);
        this.deadLetters = new PostgresDeadLetters(database, view, new QueueRepair());
    }

    public static PostgresQueue on(DataSource dataSource) {
        return on(dataSource, OnSuccess.MARK);
    }

    public static PostgresQueue on(DataSource dataSource, OnSuccess onSuccess) {
        return new PostgresQueue(dataSource, onSuccess);
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
