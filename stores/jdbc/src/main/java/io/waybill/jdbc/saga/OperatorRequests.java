package io.waybill.jdbc.saga;

import io.waybill.WaybillException;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.saga.admin.SagaOperations;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import java.sql.Connection;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes requests of operators, and their audit rows. Does not wait for a transaction that works on the saga. */
final class OperatorRequests implements SagaOperations {
    private static final String AUDIT = """
            INSERT INTO saga_audit (actor, action, reason, saga_id, saga_name, business_key, step) VALUES (?, ?, ?, ?, ?, ?, ?)""";

    private final Transactions database;

    OperatorRequests(Transactions database) {
        this.database = database;
    }

    @Override
    public long request(
            UUID saga,
            SagaSignal.Kind action,
            @Nullable String step,
            @Nullable String data,
            String actor,
            String reason) {
        if (!action.isOperators()) {
            throw new WaybillException(action + " is no action of an operator.");
        }
        String what = "request " + action + " for saga " + saga;
        SagaSignal signal = new SagaSignal(0, action, step, data, actor, reason);
        return database.transaction(what, connection -> {
            SagaRecord found = open(connection, what, saga);
            return SagaStatements.RUNNER.run(connection, what, (sql, statements) -> {
                long id = sql.insertReturningId(statements.post, JdbcSagaStore.signalParameters(saga, signal));
                sql.update(
                        AUDIT,
                        JdbcSagaStore.storable(actor),
                        action.name(),
                        JdbcSagaStore.storable(reason),
                        saga,
                        found.name(),
                        found.businessKey(),
                        step);
                return id;
            });
        });
    }

    private static SagaRecord open(Connection connection, String what, UUID id) {
        Optional<SagaRecord> found =
                SagaStatements.RUNNER.query(connection, what, s -> s.findById, SagaRows::sagas, id).stream()
                        .findFirst();
        if (found.isEmpty() || found.get().ended()) {
            throw new WaybillException("Cannot " + what + ": "
                    + found.map(saga -> "it has ended as " + saga.status() + ".")
                            .orElse("it does not exist."));
        }
        return found.get();
    }
}
