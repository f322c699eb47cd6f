package io.waybill.examples.polyshop.order;

import io.waybill.Event;
import io.waybill.examples.polyshop.service.ApiException;
import io.waybill.examples.polyshop.service.Caller;
import io.waybill.examples.polyshop.service.Json;
import io.waybill.examples.polyshop.service.RequestContext;
import io.waybill.examples.polyshop.service.Tracing;
import io.waybill.saga.RefusedException;
import io.waybill.saga.Saga;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.spring.TransactionalSagas;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * The orders and their states. Every change of a state locks the order's row, checks the transition, and appends its event in the same
 * transaction.
 */
@Component
class Orders {
    private final JdbcClient jdbc;
    private final OrderRows rows;
    private final TransactionalOutbox outbox;
    private final TransactionalSagas sagas;
    private final ObjectProvider<Saga<Placement>> definition;
    private final Tracing tracing;
    private final OrderMetrics metrics;

    Orders(
            JdbcClient jdbc,
            OrderRows rows,
            TransactionalOutbox outbox,
            TransactionalSagas sagas,
            ObjectProvider<Saga<Placement>> definition,
            Tracing tracing,
            OrderMetrics metrics) {
        this.jdbc = jdbc;
        this.rows = rows;
        this.outbox = outbox;
        this.sagas = sagas;
        this.definition = definition;
        this.tracing = tracing;
        this.metrics = metrics;
    }

    /** Stores the order, announces it and starts its saga, in one transaction. */
    @Transactional(propagation = Propagation.MANDATORY)
    OrderView place(Caller caller, NewOrder order) {
        List<NewOrder.Item> items = order.checked();
        UUID id = UUID.randomUUID();
        Map<String, String> headers = new LinkedHashMap<>(RequestContext.headers());
        headers.putAll(tracing.events().currentHeaders());
        List<OrderView.Item> priced = priced(items);
        String currency = rows.currency(items);
        BigDecimal total = priced.stream().map(OrderView.Item::totalPrice).reduce(BigDecimal.ZERO, BigDecimal::add);
        rows.insert(id, caller.id(), total, currency, order, headers, priced);
        Placement placement = new Placement(id, caller.id(), items, total, currency, headers, null, null);
        emit(placement, "order.order.placed.v1", placed(placement));
        sagas.start(definition.getObject(), id.toString(), placement);
        metrics.created();
        return rows.find(id).orElseThrow();
    }

    private List<OrderView.Item> priced(List<NewOrder.Item> items) {
        List<OrderView.Item> priced = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        for (NewOrder.Item item : items) {
            Optional<BigDecimal> price = rows.price(item.productId());
            if (price.isEmpty()) {
                unknown.add("There is no product " + item.productId() + " for sale");
                continue;
            }
            priced.add(new OrderView.Item(
                    item.productId(),
                    item.variantId(),
                    item.quantity(),
                    price.get(),
                    price.get().multiply(BigDecimal.valueOf(item.quantity()))));
        }
        if (!unknown.isEmpty()) {
            throw ApiException.invalid(unknown);
        }
        return priced;
    }

    private static Map<String, Object> placed(Placement order) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("orderId", order.orderId());
        data.put("userId", order.userId());
        data.put("items", order.items());
        data.put("totalAmount", order.totalAmount());
        data.put("currency", order.currency());
        data.put("createdAt", now());
        return data;
    }

    /** Closes the order at the customer's request. The saga ends at its next step, or earlier if it is cancelled. */
    @Transactional
    OrderView cancel(UUID id, String reason) {
        OrderStatus status = rows.lock(id).orElseThrow(Orders::notFound);
        if (!status.canBeCancelled()) {
            throw ApiException.conflict(
                    "ORDER_NOT_CANCELLABLE", "An order in the state " + status + " cannot be cancelled.");
        }
        close(rows.placement(id), OrderStatus.CANCELLED, reason);
        return rows.find(id).orElseThrow();
    }

    /** Reports that the warehouse has sent the goods. */
    @Transactional
    OrderView fulfil(UUID id, @Nullable String trackingNumber) {
        OrderStatus status = rows.lock(id).orElseThrow(Orders::notFound);
        if (status != OrderStatus.FULFILLING) {
            throw ApiException.conflict(
                    "ORDER_NOT_FULFILLING", "An order in the state " + status + " cannot be fulfilled.");
        }
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("orderId", id);
        data.put("trackingNumber", trackingNumber);
        data.put("completedAt", now());
        emit(rows.placement(id), "order.fulfillment.completed.v1", data);
        return rows.find(id).orElseThrow();
    }

    static ApiException notFound() {
        return ApiException.notFound("You have no such order.");
    }

    // The local steps of the saga. Each runs in the transaction of its step.

    Placement open(Placement order) {
        move(order, OrderStatus.CREATED, OrderStatus.RESERVING_STOCK);
        return order;
    }

    Placement stockReserved(Placement order) {
        move(order, OrderStatus.RESERVING_STOCK, OrderStatus.PENDING_PAYMENT);
        return order;
    }

    Placement recordPayment(Placement order) {
        if (order.paymentFailure() != null) {
            throw new RefusedException("The payment failed: " + order.paymentFailure());
        }
        move(order, OrderStatus.PENDING_PAYMENT, OrderStatus.PAID);
        jdbc.sql("UPDATE orders SET payment_id = ? WHERE id = ?")
                .param(order.paymentId())
                .param(order.orderId())
                .update();
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("orderId", order.orderId());
        data.put("userId", order.userId());
        data.put("paymentId", order.paymentId());
        data.put("totalAmount", order.totalAmount());
        data.put("currency", order.currency());
        data.put("paidAt", now());
        emit(order, "order.order.paid.v1", data);
        metrics.paid();
        return order;
    }

    Placement beginFulfilment(Placement order) {
        move(order, OrderStatus.PAID, OrderStatus.FULFILLING);
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("orderId", order.orderId());
        data.put("items", order.items());
        data.put("shippingAddress", rows.find(order.orderId()).orElseThrow().shippingAddress());
        data.put("requestedAt", now());
        emit(order, "order.fulfillment.requested.v1", data);
        return order;
    }

    Placement complete(Placement order) {
        move(order, OrderStatus.FULFILLING, OrderStatus.FULFILLED);
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("orderId", order.orderId());
        data.put("userId", order.userId());
        data.put("fulfilledAt", now());
        emit(order, "order.order.fulfilled.v1", data);
        return order;
    }

    /** Records a failed payment, before {@link #close(Placement)} closes the order. */
    Placement paymentEnded(Placement order) {
        boolean waits = rows.lock(order.orderId()).orElseThrow() == OrderStatus.PENDING_PAYMENT;
        if (waits && order.paymentFailure() != null) {
            rows.status(order.orderId(), OrderStatus.PAYMENT_FAILED, null);
        }
        return order;
    }

    /** The compensation of the whole saga. It is a no-op if the customer has closed the order. */
    Placement close(Placement order) {
        switch (rows.lock(order.orderId()).orElseThrow()) {
            case CREATED, RESERVING_STOCK -> close(order, OrderStatus.CANCELLED, "the stock could not be reserved");
            case PENDING_PAYMENT -> close(order, OrderStatus.EXPIRED, "no payment arrived in time");
            case PAYMENT_FAILED -> close(order, OrderStatus.CANCELLED, "the payment failed: " + order.paymentFailure());
            case PAID -> close(order, OrderStatus.CANCELLED, "an operator cancelled the order");
            case CANCELLED, EXPIRED, FULFILLING, FULFILLED -> {}
        }
        return order;
    }

    private void close(Placement order, OrderStatus closed, String reason) {
        rows.status(order.orderId(), closed, reason);
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("orderId", order.orderId());
        data.put("userId", order.userId());
        data.put("reason", reason);
        boolean expired = closed == OrderStatus.EXPIRED;
        data.put(expired ? "expiredAt" : "cancelledAt", now());
        emit(order, expired ? "order.order.expired.v1" : "order.order.cancelled.v1", data);
        metrics.closed(closed);
    }

    private void move(Placement order, OrderStatus from, OrderStatus to) {
        OrderStatus now = rows.lock(order.orderId()).orElseThrow();
        if (now != from || !from.next().contains(to)) {
            throw new RefusedException("The order is " + now + ", so it cannot become " + to + ".");
        }
        rows.status(order.orderId(), to, null);
    }

    private void emit(Placement order, String type, Object data) {
        outbox.append(Event.builder(type, "Order", order.key())
                .headers(order.headers())
                .payload(Json.write(data))
                .build());
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
    }
}
