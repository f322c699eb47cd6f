package io.waybill.examples.polyshop.inventory;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A quantity of a product or of one of its variants. */
record Item(UUID productId, @Nullable UUID variantId, int quantity) {}
