package io.waybill.examples.saga;

import io.waybill.examples.saga.Faults.Fault;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaResult;
import io.waybill.saga.Sagas;
import io.waybill.saga.picture.SagaOutline;
import io.waybill.saga.picture.SagaPicture;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.SagaSignal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The service that takes orders and runs their sagas. */
final class Shop implements AutoCloseable {
    private final Saga<Order> saga;
    private final Service service;
    private final Sagas<Connection> sagas;
    private final Faults faults;

    Shop(String jdbcUrl, String broker, Faults faults, Duration patience) throws SQLException {
        this.saga = OrderSaga.definition(patience);
        this.faults = faults;
        this.service = new Service(
                "shop",
                jdbcUrl,
                broker,
                "CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY, quantity int NOT NULL, state text NOT NULL)");
        this.sagas = Sagas.builder(JdbcSagaStore.on(service.database()), service.outbox())
                .add(saga)
                .build();
    }

    void start() {
        service.start(sagas::handleRepliesWith);
        sagas.start();
    }

    /** Stores an order and starts its saga, in one transaction. */
    void place(String id, Fault fault) throws SQLException {
        faults.set(id, fault);
        try (Connection connection = service.database().getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO orders (id, quantity, state) VALUES (?, 1, 'NEW')")) {
                insert.setString(1, id);
                insert.executeUpdate();
            }
            sagas.start(connection, saga, id, Order.of(id, 1));
            connection.commit();
        }
        sagas.hint();
    }

    String sagaName() {
        return saga.name();
    }

    SagaResult<Order> result(String id) {
        return sagas.result(saga, id).orElseThrow();
    }

    /** Whether the saga has ended. */
    boolean ended(String id) {
        return sagas.view().find(saga.name(), id).orElseThrow().ended();
    }

    /** Returns the steps that wait for a person, separated by commas; empty if there are none. */
    String stuck(String id) {
        return sagas.view().find(saga.name(), id).orElseThrow().stuck();
    }

    /** Does what an operator does with {@code waybill sagas}. */
    void decide(String id, String step, SagaSignal.Kind action, String reason) {
        sagas.operations().request(result(id).sagaId(), action, step, null, "example", reason);
    }

    List<HistoryEntry> history(String id) {
        return sagas.view().history(result(id).sagaId());
    }

    /** Returns the execution as a Mermaid flowchart. */
    String picture(String id) {
        return SagaPicture.execution(
                SagaOutline.of(saga), sagas.view().find(saga.name(), id).orElseThrow());
    }

    /** Returns the definition as a Mermaid flowchart. */
    String picture() {
        return SagaPicture.definition(SagaOutline.of(saga));
    }

    @Override
    public void close() {
        sagas.close();
        service.close();
    }
}
