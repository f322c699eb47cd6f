package io.waybill.jdbc;

import io.waybill.operate.DeadLetters;
import io.waybill.operate.OutboxView;
import io.waybill.store.OutboxStore;
import javax.sql.DataSource;

/** An outbox on PostgreSQL, whichever engine keeps it. */
public sealed interface PostgresEngine permits PostgresJournal, PostgresQueue {
    static PostgresEngine on(DataSource dataSource, Engine engine) {
        return engine == Engine.JOURNAL ? PostgresJournal.on(dataSource) : PostgresQueue.on(dataSource);
    }

    /** The relay's side. */
    OutboxStore store();

    OutboxView view();

    DeadLetters deadLetters();
}
