package io.waybill.jdbc.saga;

import io.waybill.embedded.LocalMySql.Driver;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.H2Database;
import io.waybill.jdbc.JdbcBackend;
import io.waybill.saga.participant.CommandStore;
import io.waybill.saga.store.SagaStore;
import io.waybill.testkit.saga.SagaBackend;
import io.waybill.testkit.servers.SharedServers;
import java.sql.Connection;
import java.time.Duration;

/** Sagas and an outbox in a new database. */
final class SagaJdbcBackend implements SagaBackend<Connection> {
    private final JdbcBackend database;

    SagaJdbcBackend(JdbcBackend database) {
        this.database = database;
        SagaSchema.apply(database.dataSource());
    }

    /** Sagas in a fresh database, through the database's own driver. */
    static SagaJdbcBackend on(DatabaseProduct product) {
        return new SagaJdbcBackend(JdbcBackend.queue(
                switch (product) {
                    case POSTGRESQL -> SharedServers.freshDatabase();
                    case MARIADB -> SharedServers.freshMariaDb();
                    case MYSQL -> SharedServers.freshMySql(Driver.CONNECTOR_J);
                    case H2 -> H2Database.fresh();
                }));
    }

    JdbcBackend database() {
        return database;
    }

    @Override
    public SagaStore<Connection> store() {
        return JdbcSagaStore.on(database.dataSource());
    }

    @Override
    public CommandStore<Connection> commands() {
        return JdbcCommandStore.on(database.dataSource());
    }

    @Override
    public void age(Duration time) {
        database.age(
                time,
                "UPDATE sagas SET wake_at = wake_at - $, rest_until = rest_until - $, created_at = created_at - $,"
                        + " updated_at = updated_at - $, ended_at = ended_at - $");
        database.age(time, "UPDATE saga_signals SET posted_at = posted_at - $");
        database.age(time, "UPDATE saga_commands SET decided_at = decided_at - $");
    }

    @Override
    public void close() {
        database.close();
    }
}
