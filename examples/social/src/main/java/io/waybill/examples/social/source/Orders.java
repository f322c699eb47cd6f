package io.waybill.examples.social.source;

import static io.waybill.examples.social.source.Catalogue.ORDER;
import static io.waybill.examples.social.source.Source.STATUS;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.bson.Document;

/** Orders, with all twelve of their events. */
public final class Orders {
    private static final String PAYMENT = "payment_status";
    private static final String ITEM = "item_id";

    private final Source source;

    public Orders(Source source) {
        this.source = source;
    }

    /** A product in an order. */
    public record Line(String productId, String supplierId, String title, long quantity, long priceCents) {}

    public String create(String customer, List<Line> lines) {
        String id = Source.newId();
        Instant now = Source.now();
        String number = "SC-" + id.substring(16).toUpperCase(Locale.ROOT);
        long total = lines.stream()
                .mapToLong(line -> line.quantity() * line.priceCents())
                .sum();
        List<Document> items = new ArrayList<>();
        for (Line line : lines) {
            items.add(new Document(ITEM, Source.newId())
                    .append("product_id", line.productId())
                    .append("supplier_id", line.supplierId())
                    .append("title", line.title())
                    .append("quantity", line.quantity())
                    .append("price_cents", line.priceCents())
                    .append(STATUS, "PENDING"));
        }
        Document order = new Document("order_number", number)
                .append("customer_id", customer)
                .append("currency", "EUR")
                .append("total_cents", total)
                .append(STATUS, "PENDING")
                .append(PAYMENT, "NONE")
                .append("items", items)
                .append("refunded_cents", 0L)
                .append(Source.CREATED_AT, now);
        Document data = new Document("order_number", number)
                .append("customer_id", customer)
                .append("item_count", items.size())
                .append("total_cents", total)
                .append("currency", "EUR")
                .append(STATUS, "PENDING")
                .append(Source.CREATED_AT, now);
        source.create(ORDER, id, order, data);
        return id;
    }

    public void recordAttribution(String id, String promotion, String community, String leader, String supplier) {
        source.change(ORDER, id, "attribution_recorded", order -> {
            Document attribution = new Document("promotion_id", promotion)
                    .append("community_id", community)
                    .append("leader_id", leader)
                    .append("supplier_id", supplier)
                    .append("utm_source", "community")
                    .append("utm_campaign", "launch");
            order.put("attribution", attribution);
            return attribution;
        });
    }

    public void initiatePayment(String id) {
        source.change(ORDER, id, "payment_initiated", order -> {
            order.put(PAYMENT, "INITIATED");
            return new Document("amount_cents", order.getLong("total_cents"));
        });
    }

    public void failPayment(String id, String reason) {
        source.change(ORDER, id, "payment_failed", order -> {
            order.put(PAYMENT, "FAILED");
            return new Document("failure_reason", reason).append("failure_code", "DECLINED");
        });
    }

    public void succeedPayment(String id) {
        source.change(ORDER, id, "payment_succeeded", order -> {
            Instant now = Source.now();
            order.append(PAYMENT, "SUCCEEDED").append("paid_at", now);
            return new Document("transaction_id", Source.newId()).append("amount_cents", order.getLong("total_cents"));
        });
    }

    public void confirm(String id) {
        source.change(ORDER, id, "confirmed", order -> {
            Instant now = Source.now();
            order.append(STATUS, "CONFIRMED").append("confirmed_at", now);
            items(order).forEach(item -> item.put(STATUS, "CONFIRMED"));
            return new Document("confirmed_at", now)
                    .append(
                            "item_snapshots",
                            items(order).stream().map(Document::new).toList());
        });
    }

    public void processItem(String id, int index) {
        source.change(ORDER, id, "item_processing", order -> {
            Document item = items(order).get(index).append(STATUS, "PROCESSING");
            return itemData(item);
        });
    }

    public void shipItem(String id, int index, String carrier) {
        source.change(ORDER, id, "item_shipped", order -> {
            Instant now = Source.now();
            Document shipment = new Document("tracking_number", "TR-" + Source.newId())
                    .append("carrier", carrier)
                    .append("shipped_at", now);
            Document item = items(order).get(index).append(STATUS, "SHIPPED");
            item.putAll(shipment);
            order.put("shipped_at", now);
            Document data = itemData(item);
            data.putAll(shipment);
            return data;
        });
    }

    public void deliverItem(String id, int index) {
        source.change(ORDER, id, "item_delivered", order -> {
            Instant now = Source.now();
            Document item = items(order).get(index).append(STATUS, "DELIVERED").append("delivered_at", now);
            order.put("delivered_at", now);
            return itemData(item).append("delivered_at", now);
        });
    }

    public void changeStatus(String id, String status) {
        source.change(
                ORDER,
                id,
                "status_changed",
                order -> new Document("previous_status", order.put(STATUS, status)).append("new_status", status));
    }

    public void cancel(String id, String by, String reason) {
        source.change(ORDER, id, "cancelled", order -> {
            order.put(STATUS, "CANCELLED");
            boolean paid = "SUCCEEDED".equals(order.getString(PAYMENT));
            return new Document("cancelled_by", by)
                    .append("reason", reason)
                    .append("refund_amount", paid ? order.getLong("total_cents") : 0L);
        });
    }

    public void initiateRefund(String id) {
        source.change(ORDER, id, "refund_initiated", order -> {
            long amount = order.getLong("total_cents");
            order.append(PAYMENT, "REFUND_INITIATED")
                    .append("refunded_cents", amount)
                    .append("refunded_at", Source.now());
            return new Document("refund_id", Source.newId()).append("amount_cents", amount);
        });
    }

    private static List<Document> items(Document order) {
        return order.getList("items", Document.class);
    }

    private static Document itemData(Document item) {
        return new Document(ITEM, item.getString(ITEM)).append("supplier_id", item.getString("supplier_id"));
    }
}
