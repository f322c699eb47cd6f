package io.waybill.examples.polyshop.order;

import io.waybill.examples.polyshop.service.ApiException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The body of a request that places an order. */
record NewOrder(
        @Nullable List<@Nullable Line> items,
        @Nullable Address shippingAddress,
        @Nullable Address billingAddress) {
    private static final int MOST_LINES = 50;
    private static final int MOST_PIECES = 1_000_000;

    record Line(@Nullable UUID productId, @Nullable UUID variantId, int quantity) {}

    /** A line that was checked. */
    record Item(UUID productId, @Nullable UUID variantId, int quantity) {}

    /** @throws ApiException if the order is invalid */
    List<Item> checked() {
        List<String> problems = new ArrayList<>();
        List<Item> checked = new ArrayList<>();
        Set<Object> seen = new HashSet<>();
        if (items == null || items.isEmpty() || items.size() > MOST_LINES) {
            problems.add("items must have 1 to " + MOST_LINES + " lines");
        } else {
            for (int i = 0; i < items.size(); i++) {
                Line line = items.get(i);
                if (line == null || line.productId() == null) {
                    problems.add("items[" + i + "].productId is missing");
                } else if (line.quantity() < 1 || line.quantity() > MOST_PIECES) {
                    problems.add("items[" + i + "].quantity must be between 1 and " + MOST_PIECES);
                } else if (!seen.add(line.productId() + "/" + line.variantId())) {
                    problems.add("items[" + i + "] names a product again; add the quantities");
                } else {
                    checked.add(new Item(line.productId(), line.variantId(), line.quantity()));
                }
            }
        }
        if (shippingAddress == null) {
            problems.add("shippingAddress is missing");
        } else {
            shippingAddress.check("shippingAddress", problems);
        }
        if (billingAddress != null) {
            billingAddress.check("billingAddress", problems);
        }
        if (!problems.isEmpty()) {
            throw ApiException.invalid(problems);
        }
        return checked;
    }
}
