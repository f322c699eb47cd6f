package io.waybill.jdbc;

import io.waybill.operate.DeadLetters;
import io.waybill.operate.OutboxView;
import io.waybill.store.OutboxStore;
import javax.sql.DataSource;

/** Skeleton: the queue engine on PostgreSQL. */
public final class PostgresQueue {
    public enum OnSuccess {
        MARK,
        DELETE
    }

    public static PostgresQueue on(DataSource dataSource) {
        return new PostgresQueue();
    }

    public static PostgresQueue on(DataSource dataSource, OnSuccess onSuccess) {
        return new PostgresQueue();
    }

    public OutboxStore store() {
        throw new UnsupportedOperationException();
    }

    public OutboxView view() {
        throw new UnsupportedOperationException();
    }

    public DeadLetters deadLetters() {
        throw new UnsupportedOperationException();
    }
}
