package io.waybill.examples.polyshop.inventory;

import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

record Reservation(
        UUID id,
        UUID orderId,
        Item item,
        Status status,
        @Nullable OffsetDateTime expiresAt,
        OffsetDateTime updatedAt) {
    enum Status {
        RESERVED,
        CONFIRMED,
        RELEASED,
        EXPIRED
    }

    /** Returns the id of the reservation of an item for an order. */
    static UUID id(UUID order, Item item) {
        return named("reservation/" + order + "/" + item.productId() + "/" + item.variantId());
    }

    /** Returns an id that is the same for every repetition. */
    static UUID named(String name) {
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }
}
