package io.waybill.examples.polyshop.product;

import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.UUID;

record Variant(
        UUID id,
        UUID productId,
        String sku,
        BigDecimal price,
        Map<String, String> attributes,
        Status status,
        OffsetDateTime createdAt,
        OffsetDateTime updatedAt) {
    enum Status {
        AVAILABLE,
        OUT_OF_STOCK,
        DISCONTINUED
    }
}
