package io.waybill.server.cli.saga;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.saga.admin.SagaActions;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.problem.Exit;
import java.util.Set;
import java.util.function.Function;

/** Opens the sagas of a database after checking their schema. */
final class SagaAccess {
    static final Set<String> SETTINGS = Set.of("database", "data-dir");

    private static final int CONNECTIONS = 2;

    private SagaAccess() {}

    static JdbcSagaStore store(OutboxDatabase database) {
        return JdbcSagaStore.on(SagaSchemaCommand.TABLES.open(database));
    }

    /** Runs work with many statements on a pool: a connection for each of them would take most of the time. */
    static Exit pooled(OutboxDatabase database, Function<SagaActions, Exit> work) {
        SagaSchemaCommand.TABLES.open(database);
        try (HikariDataSource pool = database.pool(CONNECTIONS)) {
            return work.apply(SagaActions.on(JdbcSagaStore.on(pool)));
        }
    }

    static SagaActions actions(OutboxDatabase database) {
        return SagaActions.on(store(database));
    }
}
