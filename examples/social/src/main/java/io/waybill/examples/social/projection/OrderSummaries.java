package io.waybill.examples.social.projection;

import static io.waybill.examples.social.source.Catalogue.ORDER;

import com.mongodb.client.MongoDatabase;
import io.waybill.examples.social.source.Catalogue;
import io.waybill.examples.social.source.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.bson.Document;

/** {@code order_summaries}: each order with its payment, items and attribution. */
final class OrderSummaries extends Projection {
    static final String MODEL = "order_summaries";
    private static final String STATUS = Source.STATUS;
    private static final String PAYMENT = "payment_status";
    private static final String ITEMS = "items";
    private static final String ITEM_ID = "item_id";
    private static final List<String> COPIED = List.of(
            "order_number",
            "customer_id",
            "total_cents",
            "currency",
            STATUS,
            PAYMENT,
            "attribution",
            Source.CREATED_AT,
            "confirmed_at",
            "shipped_at",
            "delivered_at");

    private final ReadModel summaries;

    OrderSummaries(MongoDatabase database) {
        this(new ReadModel(database, MODEL, "order_id", OrderSummaries::blank));
    }

    private OrderSummaries(ReadModel summaries) {
        super("order-summaries", "sc-proj-order-summaries", List.of(Catalogue.topic(ORDER)), summaries);
        this.summaries = summaries;
        order("created", OrderSummaries::created);
        order("payment_initiated", (order, event) -> order.put(PAYMENT, "INITIATED"));
        order("payment_succeeded", (order, event) -> order.put(PAYMENT, "SUCCEEDED"));
        order("payment_failed", (order, event) -> order.put(PAYMENT, "FAILED"));
        order("refund_initiated", (order, event) -> order.put(PAYMENT, "REFUND_INITIATED"));
        order("confirmed", OrderSummaries::confirmed);
        order("item_processing", (order, event) -> item(order, event).put(STATUS, "PROCESSING"));
        order("item_shipped", OrderSummaries::shipped);
        order("item_delivered", OrderSummaries::delivered);
        order("status_changed", (order, event) -> order.put(STATUS, event.text("new_status")));
        order("cancelled", (order, event) -> order.put(STATUS, "CANCELLED"));
        order("attribution_recorded", (order, event) -> {
            Document attribution = event.texts("promotion_id", "community_id", "leader_id", "supplier_id");
            for (String field : List.of("utm_source", "utm_campaign")) {
                event.optionalText(field).ifPresent(text -> attribution.put(field, text));
            }
            order.put("attribution", attribution);
        });
    }

    private static Document blank(Document order) {
        return order.append(STATUS, "")
                .append(PAYMENT, "NONE")
                .append(ITEMS, List.of())
                .append("attribution", null)
                .append("confirmed_at", null)
                .append("shipped_at", null)
                .append("delivered_at", null)
                .append("entity_version", 0L);
    }

    private void order(String action, BiConsumer<Document, EventData> change) {
        on(
                ORDER + "." + action,
                (session, event) -> summaries.change(session, event.entityId(), order -> {
                    change.accept(order, event);
                    order.put("entity_version", event.entityVersion());
                }));
    }

    private static void created(Document order, EventData event) {
        order.putAll(event.texts("order_number", "customer_id", "currency", STATUS));
        order.append("item_count", event.count("item_count"))
                .append("total_cents", event.count("total_cents"))
                .append(Source.CREATED_AT, event.time(Source.CREATED_AT));
    }

    private static void confirmed(Document order, EventData event) {
        List<Document> items = new ArrayList<>();
        for (EventData item : event.list("item_snapshots")) {
            items.add(item.texts(ITEM_ID, "product_id", "supplier_id", "title")
                    .append("quantity", item.count("quantity"))
                    .append("price_cents", item.count("price_cents"))
                    .append(STATUS, "CONFIRMED"));
        }
        order.append(STATUS, "CONFIRMED")
                .append("confirmed_at", event.time("confirmed_at"))
                .append(ITEMS, items);
    }

    private static void shipped(Document order, EventData event) {
        Document item = item(order, event).append(STATUS, "SHIPPED");
        item.putAll(event.texts("tracking_number", "carrier"));
        item.put("shipped_at", event.time("shipped_at"));
        order.put("shipped_at", item.get("shipped_at"));
    }

    private static void delivered(Document order, EventData event) {
        item(order, event).append(STATUS, "DELIVERED").append("delivered_at", event.time("delivered_at"));
        order.put("delivered_at", event.time("delivered_at"));
    }

    /** Returns the item of an event, which is added to the order if an earlier event was lost. */
    private static Document item(Document order, EventData event) {
        String id = event.text(ITEM_ID);
        List<Document> items = new ArrayList<>(order.getList(ITEMS, Document.class));
        for (Document item : items) {
            if (id.equals(item.getString(ITEM_ID))) {
                return item;
            }
        }
        Document added = new Document(ITEM_ID, id);
        items.add(added);
        order.put(ITEMS, items);
        return added;
    }

    /** Items appear in the summary when the order is confirmed. */
    @Override
    void copy(SourceCopy source) {
        source.each(
                ORDER,
                (session, stored) -> summaries.change(session, stored.getString("_id"), order -> {
                    COPIED.forEach(field -> order.put(field, stored.get(field)));
                    List<Document> items = stored.getList(ITEMS, Document.class);
                    order.append("item_count", (long) items.size())
                            .append("entity_version", stored.getLong(Source.VERSION));
                    if (stored.get("confirmed_at") != null) {
                        order.put(ITEMS, items);
                    }
                }));
    }
}
