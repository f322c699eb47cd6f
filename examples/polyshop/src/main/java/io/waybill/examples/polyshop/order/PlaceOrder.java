package io.waybill.examples.polyshop.order;

import io.waybill.Event;
import io.waybill.examples.polyshop.service.Json;
import io.waybill.examples.polyshop.service.ServiceSettings;
import io.waybill.inbox.PermanentException;
import io.waybill.retry.RetryPolicy;
import io.waybill.saga.Command;
import io.waybill.saga.Saga;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;

/**
 * The saga of an order: reserves the stock, requests a payment, waits for it, and hands the order to the fulfilment, which is the point
 * of no return.
 *
 * <p>The first step opens the order, so its compensation runs last. It closes the order and publishes an event with the reason;
 * inventory and payment react to that event. A customer who cancels closes the order at once, in the transaction of the request.
 * Each later step then refuses, because the order is not in the state that the step expects, and the saga is undone.
 */
@Configuration(proxyBeanMethods = false)
class PlaceOrder {
    static final String NAME = "place-order";

    /** Three attempts, half a second and a second apart. */
    private static final RetryPolicy RETRY = new RetryPolicy(3, Duration.ofMillis(500), Duration.ofSeconds(2));

    @Bean
    Saga<Placement> placeOrderSaga(Orders orders, ServiceSettings settings) {
        Duration payment = settings.duration("PAYMENT_TIMEOUT", Duration.ofMinutes(15));
        return Saga.named(NAME, Placement.class)
                .step("open-order")
                .local(orders::open)
                .localCompensation(orders::close)
                .then("reserve-stock")
                .command(order -> Command.to(
                        "inventory.stock.reserve-requested.v1",
                        order.key(),
                        Map.of("orderId", order.orderId(), "items", order.items())))
                .onReply("inventory.stock.reserved.v1")
                .onRefusal("inventory.stock.reservation-failed.v1")
                .timeout(settings.duration("RESERVE_TIMEOUT", Duration.ofSeconds(3)))
                .retry(RETRY)
                .noCompensation("inventory releases the stock when the order is closed")
                .then("stock-reserved")
                .local(orders::stockReserved)
                .localCompensation(orders::paymentEnded)
                .then("request-payment")
                .command(order -> Command.to("payment.intent.requested.v1", order.key(), intent(order, payment)))
                .onReply("payment.intent.created.v1")
                .onRefusal("payment.payment.failed.v1")
                .timeout(settings.duration("INTENT_TIMEOUT", Duration.ofSeconds(5)))
                .retry(RETRY)
                .noCompensation("payment ends or refunds the payment when the order is closed")
                .then("await-payment")
                .awaitEvent(PlaceOrder::orderId)
                .onReply("payment.payment.succeeded.v1", (order, reply) -> order.paid(reply.text("paymentId")))
                .onReply(
                        "payment.payment.failed.v1",
                        (order, reply) -> order.unpaid(reply.text("paymentId"), reply.text("failureReason")))
                .timeout(payment)
                .noCompensation("payment refunds the payment when the order is closed")
                .then("record-payment")
                .local(orders::recordPayment)
                .noCompensation("the order is closed by the compensation of open-order")
                .then("cancellation-window")
                .delay(settings.duration("CANCELLATION_WINDOW", Duration.ofSeconds(2)))
                .then("begin-fulfilment")
                .local(orders::beginFulfilment)
                .pivot()
                .then("await-fulfilment")
                .awaitEvent(PlaceOrder::orderId)
                .onReply("order.fulfillment.completed.v1")
                .timeout(settings.duration("FULFILMENT_TIMEOUT", Duration.ofHours(24)))
                .retriable()
                .then("complete-order")
                .local(orders::complete)
                .retriable()
                .build();
    }

    private static Map<String, Object> intent(Placement order, Duration timeout) {
        Map<String, Object> intent = new LinkedHashMap<>();
        intent.put("orderId", order.orderId());
        intent.put("userId", order.userId());
        intent.put("amount", order.totalAmount());
        intent.put("currency", order.currency());
        intent.put("expiresAt", Instant.now().plus(timeout).toString());
        return intent;
    }

    /** The business key of the saga that an event concerns. */
    private static String orderId(Event event) {
        JsonNode order = Json.tree(event.payload()).path("orderId");
        if (!order.isString()) {
            throw new PermanentException("Event " + event + " has no orderId.");
        }
        return order.stringValue();
    }
}
