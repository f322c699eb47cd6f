package io.waybill.examples.polyshop.order;

import io.waybill.Event;
import io.waybill.examples.polyshop.service.Json;
import io.waybill.inbox.PermanentException;
import io.waybill.spring.InboxHandler;
import java.math.BigDecimal;
import java.time.ZoneOffset;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Keeps the prices that the service product announces. Topics are read independently, so an older event changes nothing. */
@Component
class Prices {
    private static final String UPSERT = """
            INSERT INTO product_prices (product_id, price, currency, active, changed_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (product_id) DO UPDATE
            SET price = excluded.price, currency = excluded.currency, active = excluded.active, changed_at = excluded.changed_at
            WHERE product_prices.changed_at <= excluded.changed_at""";

    private final JdbcClient jdbc;

    /** @param tables makes Spring create the tables first */
    Prices(JdbcClient jdbc, OrderTables tables) {
        this.jdbc = jdbc;
    }

    record Product(
            @Nullable UUID productId,
            @Nullable BigDecimal price,
            @Nullable String currency,
            @Nullable Boolean active) {}

    @InboxHandler({"product.product.created.v1", "product.product.updated.v1"})
    void changed(Event event) {
        Product product = Json.read(event.payload(), Product.class);
        if (product.productId() == null || product.price() == null) {
            throw new PermanentException("Event " + event + " has no productId or no price.");
        }
        store(product.productId(), product.price(), product.currency(), product.active(), event);
    }

    @InboxHandler("product.product.deleted.v1")
    void deleted(Event event) {
        Product product = Json.read(event.payload(), Product.class);
        if (product.productId() == null) {
            throw new PermanentException("Event " + event + " has no productId.");
        }
        store(product.productId(), BigDecimal.ZERO, null, false, event);
    }

    private void store(UUID id, BigDecimal price, @Nullable String currency, @Nullable Boolean active, Event event) {
        jdbc.sql(UPSERT)
                .param(id)
                .param(price)
                .param(currency == null ? "EUR" : currency)
                .param(active == null || active)
                .param(event.occurredAt().atOffset(ZoneOffset.UTC))
                .update();
    }
}
