package io.waybill.examples.saga;

import io.waybill.Event;
import io.waybill.examples.saga.Faults.Fault;
import io.waybill.inbox.Handler;
import io.waybill.jdbc.saga.JdbcCommandStore;
import io.waybill.saga.participant.Answer;
import io.waybill.saga.participant.SagaParticipant;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/** The three services that execute the saga's commands, with the faults that the user asked for. */
final class Participants implements AutoCloseable {
    private final Faults faults;
    private final Duration patience;
    private final Service stock;
    private final Service payment;
    private final Service delivery;

    /** @param patience how long the saga waits for each attempt */
    Participants(String jdbcUrl, String broker, Faults faults, Duration patience) throws SQLException {
        this.faults = faults;
        this.patience = patience;
        this.stock = new Service(
                "stock", jdbcUrl, broker, "CREATE TABLE IF NOT EXISTS reservations (order_id text PRIMARY KEY)");
        this.payment = new Service(
                "payment", jdbcUrl, broker, "CREATE TABLE IF NOT EXISTS payments (order_id text PRIMARY KEY)");
        this.delivery = new Service(
                "delivery",
                jdbcUrl,
                broker,
                "CREATE TABLE IF NOT EXISTS deliveries (order_id text PRIMARY KEY, by_courier boolean NOT NULL)");
    }

    void start() {
        SagaParticipant<Connection> stockroom = participant("stock", stock);
        stock.start(inbox -> inbox.on("stock.reserve", stockroom.command(this::reserve))
                .on(
                        "stock.release",
                        unless(Fault.RELEASE_FAILS, stockroom.compensation("stock.released", this::release))));
        SagaParticipant<Connection> cashier = participant("payment", payment);
        payment.start(
                inbox -> inbox.on("payment.take", unless(Fault.PAYMENT_SILENT, cashier.command(this::takePayment))));
        SagaParticipant<Connection> fleet = participant("delivery", delivery);
        delivery.start(inbox -> inbox.on("delivery.plan", fleet.command(this::plan))
                .on("courier.plan", fleet.command(this::planCourier)));
    }

    private static SagaParticipant<Connection> participant(String group, Service service) {
        return SagaParticipant.of(group, JdbcCommandStore.on(service.database()), service.outbox());
    }

    /** With this fault, the service ignores the command and sends no reply. */
    private Handler<Connection> unless(Fault fault, Handler<Connection> handler) {
        return (connection, event) -> {
            if (!faults.is(event.key(), fault)) {
                handler.handle(connection, event);
            }
        };
    }

    private Answer reserve(Connection connection, Event command) throws SQLException, InterruptedException {
        if (faults.is(command.key(), Fault.STOCK_MISSING)) {
            return Answer.refused("stock.missing", command.key(), Map.of("reason", "sold out"));
        }
        if (faults.is(command.key(), Fault.STOCK_SILENT)) {
            Thread.sleep(patience.multipliedBy(OrderSaga.ATTEMPTS + 1).toMillis());
        }
        change(connection, "INSERT INTO reservations (order_id) VALUES (?)", command.key());
        return Answer.done("stock.reserved", command.key(), Map.of("place", "shelf 7"));
    }

    private Object release(Connection connection, Event command) throws SQLException {
        change(connection, "DELETE FROM reservations WHERE order_id = ?", command.key());
        return Map.of();
    }

    private Answer takePayment(Connection connection, Event command) throws SQLException {
        if (faults.is(command.key(), Fault.PAYMENT_DECLINED, Fault.RELEASE_FAILS)) {
            return Answer.refused("payment.declined", command.key(), Map.of("reason", "card expired"));
        }
        change(connection, "INSERT INTO payments (order_id) VALUES (?)", command.key());
        return Answer.done("payment.taken", command.key(), Map.of());
    }

    private Answer plan(Connection connection, Event command) throws SQLException {
        if (faults.is(command.key(), Fault.DELIVERY_REFUSED)) {
            return Answer.refused("delivery.refused", command.key(), Map.of("reason", "no van left"));
        }
        change(connection, "INSERT INTO deliveries (order_id, by_courier) VALUES (?, false)", command.key());
        return Answer.done("delivery.planned", command.key(), Map.of("by", "own fleet"));
    }

    private Answer planCourier(Connection connection, Event command) throws SQLException {
        change(connection, "INSERT INTO deliveries (order_id, by_courier) VALUES (?, true)", command.key());
        return Answer.done("delivery.planned", command.key(), Map.of("by", "courier"));
    }

    private static void change(Connection connection, String sql, String order) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, order);
            statement.executeUpdate();
        }
    }

    @Override
    public void close() {
        stock.close();
        payment.close();
        delivery.close();
    }
}
