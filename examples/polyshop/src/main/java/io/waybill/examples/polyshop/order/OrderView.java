package io.waybill.examples.polyshop.order;

import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An order as clients see it. */
record OrderView(
        UUID id,
        String userId,
        List<Item> items,
        BigDecimal totalAmount,
        String currency,
        OrderStatus status,
        Address shippingAddress,
        @Nullable Address billingAddress,
        String createdAt,
        String updatedAt) {
    record Item(UUID productId, @Nullable UUID variantId, int quantity, BigDecimal unitPrice, BigDecimal totalPrice) {}
}
