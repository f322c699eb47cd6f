package io.waybill.jdbc;

import io.waybill.admin.BulkOperations;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.OutboxView;
import io.waybill.store.OutboxStore;
import javax.sql.DataSource;

/** An outbox in a database, with either engine. */
public sealed interface JdbcEngine permits PostgresJournal, JdbcQueue {
    static JdbcEngine on(DataSource dataSource, Engine engine) {
        return engine == Engine.JOURNAL ? PostgresJournal.on(dataSource) : JdbcQueue.on(dataSource);
    }

    /** Returns the store that a relay works on. */
    OutboxStore store();

    OutboxView view();

    OutboxSearch search();

    DeadLetters deadLetters();

    OutboxActions actions();

    BulkOperations bulk();
}
