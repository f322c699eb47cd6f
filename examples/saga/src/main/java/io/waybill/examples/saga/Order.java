package io.waybill.examples.saga;

import org.jspecify.annotations.Nullable;

/**
 * The data of the saga.
 *
 * @param reservation the place of the reserved stock; null before it is reserved
 * @param courier who delivers; null before the delivery is planned
 */
record Order(
        String id,
        int quantity,
        @Nullable String reservation,
        @Nullable String courier) {
    static Order of(String id, int quantity) {
        return new Order(id, quantity, null, null);
    }

    Order reserved(String place) {
        return new Order(id, quantity, place, courier);
    }

    Order delivered(String by) {
        return new Order(id, quantity, reservation, by);
    }
}
