package io.waybill.saga;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** An order over stock, payment and delivery. */
final class OrderSaga {
    record Order(String id, List<String> done) {
        Order with(String what) {
            List<String> more = new ArrayList<>(done);
            more.add(what);
            return new Order(id, more);
        }
    }

    static final Order ORDER = new Order("42", List.of());

    static final Saga<Order> SAGA = Saga.named("place-order", Order.class)
            .step("reserve")
            .command(order -> Command.to("stock.reserve", order.id(), "{\"items\":1}"))
            .onReply("stock.reserved", (order, reply) -> order.with("reserved " + reply.text("place")))
            .onRefusal("stock.missing")
            .timeout(Duration.ofSeconds(3))
            .attempts(3)
            .compensation(order -> Command.to("stock.release", order.id(), order))
            .onCompensated("stock.released")
            .then("pay")
            .command(order -> Command.to("payment.request", order.id(), order))
            .onReply("payment.done", (order, reply) -> order.with("paid"))
            .onRefusal("payment.declined")
            .timeout(Duration.ofSeconds(3))
            .pivot()
            .then("ship")
            .command(order -> Command.to("delivery.request", order.id(), order))
            .onReply("delivery.planned", (order, reply) -> order.with("shipped"))
            .onRefusal("delivery.refused")
            .timeout(Duration.ofSeconds(3))
            .retriable()
            .build();

    private OrderSaga() {}
}
