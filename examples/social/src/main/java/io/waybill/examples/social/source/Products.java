package io.waybill.examples.social.source;

import static io.waybill.examples.social.source.Catalogue.PRODUCT;
import static io.waybill.examples.social.source.Source.STATUS;

import java.util.List;
import org.bson.Document;

/** Products of suppliers, with their inventory. */
public final class Products {
    private static final String AVAILABLE = "available_count";

    private final Source source;

    public Products(Source source) {
        this.source = source;
    }

    public String create(String supplier, String title, long priceCents, long available) {
        String id = Source.newId();
        Document data = new Document("supplier_id", supplier)
                .append("title", title)
                .append("price_cents", priceCents)
                .append(AVAILABLE, available);
        Document product = new Document(data)
                .append(STATUS, "DRAFT")
                .append("variants", List.of())
                .append(Source.CREATED_AT, Source.now());
        source.create(PRODUCT, id, product, data);
        return id;
    }

    public void update(String id, String title) {
        set(id, "updated", new Document("title", title));
    }

    public void publish(String id) {
        set(id, "published", new Document(STATUS, "PUBLISHED"));
    }

    public void unpublish(String id) {
        set(id, "unpublished", new Document(STATUS, "UNPUBLISHED"));
    }

    public void delete(String id) {
        set(id, "deleted", new Document(STATUS, "DELETED"));
    }

    public void addVariant(String id, String name) {
        set(id, "variant_added", new Document("variants", List.of(name)));
    }

    public void changePrice(String id, long cents) {
        source.change(
                PRODUCT,
                id,
                "price_changed",
                product -> new Document("old_price_cents", product.put("price_cents", cents))
                        .append("new_price_cents", cents));
    }

    public void adjustInventory(String id, long delta) {
        inventory(id, "inventory_adjusted", delta);
    }

    public void reserve(String id, long count) {
        inventory(id, "inventory_reserved", -count);
    }

    public void release(String id, long count) {
        inventory(id, "inventory_released", count);
    }

    private void inventory(String id, String action, long delta) {
        source.change(PRODUCT, id, action, product -> {
            long available = Math.max(0, product.getLong(AVAILABLE) + delta);
            product.put(AVAILABLE, available);
            return new Document("delta", delta).append(AVAILABLE, available);
        });
    }

    private void set(String id, String action, Document fields) {
        source.change(PRODUCT, id, action, product -> {
            product.putAll(fields);
            return fields;
        });
    }
}
