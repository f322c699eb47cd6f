package io.waybill.examples.polyshop.product;

import io.waybill.examples.polyshop.service.ApiException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The bodies of requests, and their rules. A missing field of a PATCH keeps its value. */
final class Changes {
    private static final BigDecimal HIGHEST_PRICE = new BigDecimal("1000000");

    private Changes() {}

    record OfProduct(
            @Nullable String name,
            @Nullable String description,
            @Nullable BigDecimal price,
            @Nullable String currency,
            @Nullable UUID categoryId,
            @Nullable String brand,
            Product.@Nullable Status status) {

        /** @param old null for a new product */
        OfProduct over(@Nullable Product old) {
            OfProduct merged = new OfProduct(
                    name != null || old == null ? name : old.name(),
                    description != null ? description : old == null ? "" : old.description(),
                    price != null || old == null ? price : old.price(),
                    currency != null ? currency : old == null ? "EUR" : old.currency(),
                    categoryId != null || old == null ? categoryId : old.categoryId(),
                    brand != null || old == null ? brand : old.brand(),
                    status != null ? status : old == null ? Product.Status.ACTIVE : old.status());
            merged.check();
            return merged;
        }

        private void check() {
            List<String> problems = new ArrayList<>();
            text("name", name, 1, 200, problems);
            text("description", description, 0, 4_000, problems);
            text("brand", brand == null ? "" : brand, 0, 200, problems);
            amount(price, problems);
            if (currency == null || !currency.matches("[A-Z]{3}")) {
                problems.add("currency must be three capital letters");
            }
            throwIfAny(problems);
        }
    }

    record OfVariant(
            @Nullable String sku,
            @Nullable BigDecimal price,
            @Nullable Map<String, String> attributes,
            Variant.@Nullable Status status) {

        /** @param old null for a new variant */
        OfVariant over(@Nullable Variant old) {
            OfVariant merged = new OfVariant(
                    sku != null || old == null ? sku : old.sku(),
                    price != null || old == null ? price : old.price(),
                    attributes != null ? attributes : old == null ? Map.of() : old.attributes(),
                    status != null ? status : old == null ? Variant.Status.AVAILABLE : old.status());
            List<String> problems = new ArrayList<>();
            text("sku", merged.sku(), 1, 100, problems);
            amount(merged.price(), problems);
            if (merged.attributes() != null && merged.attributes().size() > 50) {
                problems.add("attributes must have up to 50 entries");
            }
            throwIfAny(problems);
            return merged;
        }
    }

    private static void text(String field, @Nullable String text, int least, int most, List<String> problems) {
        if (text == null
                || text.strip().length() < least
                || text.length() > most
                || text.matches("(?s).*[\\p{Cntrl}\\p{Cs}&&[^\\n\\t]].*")) {
            problems.add(field + " must have " + least + " to " + most + " characters and no control characters");
        }
    }

    private static void amount(@Nullable BigDecimal price, List<String> problems) {
        if (price == null
                || price.signum() < 0
                || price.compareTo(HIGHEST_PRICE) > 0
                || price.stripTrailingZeros().scale() > 2) {
            problems.add("price must be between 0 and " + HIGHEST_PRICE + ", with up to two decimals");
        }
    }

    private static void throwIfAny(List<String> problems) {
        if (!problems.isEmpty()) {
            throw ApiException.invalid(problems);
        }
    }
}
