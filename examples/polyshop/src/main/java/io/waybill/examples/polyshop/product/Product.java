package io.waybill.examples.polyshop.product;

import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

record Product(
        UUID id,
        String name,
        String description,
        BigDecimal price,
        String currency,
        @Nullable UUID categoryId,
        @Nullable String brand,
        Status status,
        OffsetDateTime createdAt,
        OffsetDateTime updatedAt) {
    enum Status {
        DRAFT,
        ACTIVE,
        ARCHIVED
    }
}
