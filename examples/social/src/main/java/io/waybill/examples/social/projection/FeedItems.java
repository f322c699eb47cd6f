package io.waybill.examples.social.projection;

import static io.waybill.examples.social.source.Catalogue.POST;
import static io.waybill.examples.social.source.Catalogue.PRODUCT;
import static io.waybill.examples.social.source.Catalogue.PROMOTION;

import com.mongodb.client.MongoDatabase;
import io.waybill.examples.social.source.Catalogue;
import io.waybill.examples.social.source.Source;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.bson.Document;

/** {@code feed_items}: posts, products and promotions of the feed. Items that are not published have {@code visible: false}. */
final class FeedItems extends Projection {
    static final String MODEL = "feed_items";
    private static final String VISIBLE = "visible";
    private static final List<String> COPIED = List.of(
            "title",
            "body",
            "author_id",
            "supplier_id",
            "community_id",
            "price_cents",
            "like_count",
            "pinned",
            "global");
    private static final Map<String, String> SHOWN =
            Map.of(POST, "PUBLISHED", PRODUCT, "PUBLISHED", PROMOTION, "ACTIVE");

    private final ReadModel items;

    FeedItems(MongoDatabase database) {
        this(new ReadModel(database, MODEL, "source_id", FeedItems::blank));
    }

    private FeedItems(ReadModel items) {
        super(
                "feed-builder",
                "sc-proj-feed-builder",
                List.of(Catalogue.topic(POST), Catalogue.topic(PRODUCT), Catalogue.topic(PROMOTION)),
                items);
        this.items = items;
        posts();
        products();
        promotions();
    }

    private static Document blank(Document item) {
        return item.append("item_type", "")
                .append("title", "")
                .append("pinned", false)
                .append("global", false)
                .append("like_count", 0L)
                .append(VISIBLE, false)
                .append("entity_version", 0L);
    }

    private void posts() {
        item(POST, "created", (item, event) -> item.putAll(event.texts("author_id", "community_id", "title", "body")));
        item(POST, "published", (item, event) -> item.put(VISIBLE, true));
        item(POST, "updated", (item, event) -> item.putAll(event.texts("title", "body")));
        item(POST, "global_approved", (item, event) -> item.put("global", true));
        item(POST, "global_rejected", (item, event) -> item.put("global", false));
        item(POST, "pinned", (item, event) -> item.put("pinned", true));
        item(POST, "unpinned", (item, event) -> item.put("pinned", false));
        item(POST, "hidden", (item, event) -> item.put(VISIBLE, false));
        item(POST, "deleted", (item, event) -> item.put(VISIBLE, false));
        item(POST, "stats_changed", (item, event) -> {
            long value = event.count("new_value");
            if (event.text("stat_type").equals("like_count")) {
                item.put("like_count", value);
            }
        });
        versions(POST);
    }

    private void products() {
        item(PRODUCT, "created", (item, event) -> {
            item.putAll(event.texts("supplier_id", "title"));
            item.put("price_cents", event.count("price_cents"));
        });
        item(PRODUCT, "updated", (item, event) -> item.put("title", event.text("title")));
        item(PRODUCT, "published", (item, event) -> item.put(VISIBLE, true));
        item(PRODUCT, "unpublished", (item, event) -> item.put(VISIBLE, false));
        item(PRODUCT, "deleted", (item, event) -> item.put(VISIBLE, false));
        item(PRODUCT, "price_changed", (item, event) -> item.put("price_cents", event.count("new_price_cents")));
        versions(PRODUCT);
    }

    private void promotions() {
        item(PROMOTION, "created", (item, event) -> item.putAll(event.texts("supplier_id", "community_id", "title")));
        item(PROMOTION, "activated", (item, event) -> item.put(VISIBLE, true));
        item(PROMOTION, "resumed", (item, event) -> item.put(VISIBLE, true));
        item(PROMOTION, "paused", (item, event) -> item.put(VISIBLE, false));
        item(PROMOTION, "ended", (item, event) -> item.put(VISIBLE, false));
        item(PROMOTION, "cancelled", (item, event) -> item.put(VISIBLE, false));
        versions(PROMOTION);
    }

    /** The other events of the entity change only the version of its item. */
    private void versions(String entity) {
        Catalogue.types(entity).stream()
                .filter(type -> !eventTypes().contains(type))
                .forEach(type -> item(entity, type.substring(entity.length() + 1), (item, event) -> {}));
    }

    private void item(String entity, String action, BiConsumer<Document, EventData> change) {
        on(
                entity + "." + action,
                (session, event) -> items.change(session, event.entityId(), item -> {
                    change.accept(item, event);
                    item.append("item_type", entity).append("entity_version", event.entityVersion());
                }));
    }

    @Override
    void copy(SourceCopy source) {
        for (Map.Entry<String, String> shown : SHOWN.entrySet()) {
            source.each(
                    shown.getKey(),
                    (session, stored) -> items.change(session, stored.getString("_id"), item -> {
                        COPIED.stream()
                                .filter(stored::containsKey)
                                .forEach(field -> item.put(field, stored.get(field)));
                        item.append("item_type", shown.getKey())
                                .append(VISIBLE, shown.getValue().equals(stored.getString(Source.STATUS)))
                                .append("entity_version", stored.getLong(Source.VERSION));
                    }));
        }
    }
}
