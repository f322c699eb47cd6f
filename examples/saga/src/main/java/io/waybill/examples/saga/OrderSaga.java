package io.waybill.examples.saga;

import io.waybill.Event;
import io.waybill.retry.RetryPolicy;
import io.waybill.saga.Command;
import io.waybill.saga.ForwardRecovery;
import io.waybill.saga.Saga;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Places an order. Stock is reserved and the order is recorded in parallel. Then the payment is taken, which is the point of no return.
 * Then a delivery is planned, by a courier if the own fleet refuses, and the order is completed.
 */
final class OrderSaga {
    static final int ATTEMPTS = 2;

    private static final RetryPolicy RETRY = new RetryPolicy(ATTEMPTS, Duration.ofMillis(200), Duration.ofSeconds(1));

    private OrderSaga() {}

    /** @param patience the time-out of each attempt of a command */
    static Saga<Order> definition(Duration patience) {
        return Saga.named("place-order", Order.class)
                .step("reserve-stock")
                .command(order -> Command.to("stock.reserve", order.id(), order))
                .onReply("stock.reserved", (order, reply) -> order.reserved(reply.text("place")))
                .onRefusal("stock.missing")
                .timeout(patience)
                .retry(RETRY)
                .compensation(order -> Command.to("stock.release", order.id(), order))
                .onCompensated("stock.released")
                .compensationTimeout(patience)
                .compensationRetry(RETRY)
                .step("record-order")
                .local(Connection.class, (connection, order) -> state(connection, order, "ACCEPTED"))
                .localCompensation(Connection.class, (connection, order) -> state(connection, order, "CANCELLED"))
                .emitsOnCompensation(order -> Event.of("order.cancelled", "Order", order.id(), "{}"))
                .step("take-payment")
                .command(order -> Command.to("payment.take", order.id(), order))
                .onReply("payment.taken")
                .onRefusal("payment.declined")
                .timeout(patience)
                .retry(RETRY)
                .after("reserve-stock", "record-order")
                .pivot()
                .then("plan-delivery")
                .command(order -> Command.to("delivery.plan", order.id(), order))
                .onReply("delivery.planned", (order, reply) -> order.delivered(reply.text("by")))
                .onRefusal("delivery.refused")
                .timeout(patience)
                .alternative(order -> Command.to("courier.plan", order.id(), order))
                .recovery((order, error) -> ForwardRecovery.RETRY_WITH_ALTERNATIVE)
                .retry(RETRY)
                .retriable()
                .then("complete-order")
                .local(Connection.class, (connection, order) -> state(connection, order, "COMPLETED"))
                .emits(order -> Event.of("order.completed", "Order", order.id(), "{}"))
                .retriable()
                .build();
    }

    private static Order state(Connection connection, Order order, String state) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE orders SET state = ? WHERE id = ?")) {
            update.setString(1, state);
            update.setString(2, order.id());
            update.executeUpdate();
        }
        return order;
    }
}
