package io.waybill.examples.polyshop.order;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The data of the saga.
 *
 * @param headers correlation and trace for the events of the order
 * @param paymentId null until a payment was made or failed
 * @param paymentFailure null unless the payment failed
 */
record Placement(
        UUID orderId,
        String userId,
        List<NewOrder.Item> items,
        BigDecimal totalAmount,
        String currency,
        Map<String, String> headers,
        @Nullable String paymentId,
        @Nullable String paymentFailure) {

    Placement paid(String payment) {
        return new Placement(orderId, userId, items, totalAmount, currency, headers, payment, null);
    }

    Placement unpaid(String payment, String reason) {
        return new Placement(orderId, userId, items, totalAmount, currency, headers, payment, reason);
    }

    String key() {
        return orderId.toString();
    }
}
