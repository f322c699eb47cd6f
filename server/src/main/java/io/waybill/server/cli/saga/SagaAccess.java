package io.waybill.server.cli.saga;

import io.waybill.saga.admin.SagaActions;
import io.waybill.saga.store.SagaStore;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.problem.Exit;
import java.util.Set;
import java.util.function.Function;

/** Opens the sagas of a database after checking their schema. */
final class SagaAccess {
    static final Set<String> SETTINGS = Set.of("database", "data-dir");

    private SagaAccess() {}

    static SagaStore<?> store(OutboxDatabase database) {
        return SagaSchemaCommand.TABLES.requireValid(database).open();
    }

    /** Runs work with many statements on a pool: a connection for each of them would take most of the time. */
    static Exit pooled(OutboxDatabase database, Function<SagaActions, Exit> work) {
        return SagaSchemaCommand.TABLES.requireValid(database).pooled(store -> work.apply(SagaActions.on(store)));
    }

    static SagaActions actions(OutboxDatabase database) {
        return SagaActions.on(store(database));
    }
}
