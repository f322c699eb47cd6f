package io.waybill.examples.polyshop.order;

import java.util.EnumSet;
import java.util.Set;

/** The states of an order, and the states that may follow each of them. */
enum OrderStatus {
    CREATED,
    RESERVING_STOCK,
    PENDING_PAYMENT,
    PAYMENT_FAILED,
    PAID,
    FULFILLING,
    FULFILLED,
    CANCELLED,
    EXPIRED;

    Set<OrderStatus> next() {
        return switch (this) {
            case CREATED -> EnumSet.of(RESERVING_STOCK, CANCELLED);
            case RESERVING_STOCK -> EnumSet.of(PENDING_PAYMENT, CANCELLED);
            case PENDING_PAYMENT -> EnumSet.of(PAID, PAYMENT_FAILED, EXPIRED, CANCELLED);
            case PAYMENT_FAILED -> EnumSet.of(CANCELLED);
            case PAID -> EnumSet.of(FULFILLING, CANCELLED);
            case FULFILLING -> EnumSet.of(FULFILLED);
            case FULFILLED, CANCELLED, EXPIRED -> EnumSet.noneOf(OrderStatus.class);
        };
    }

    /** Whether a customer may cancel: until the fulfilment begins. */
    boolean canBeCancelled() {
        return next().contains(CANCELLED);
    }
}
