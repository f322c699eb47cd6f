package io.waybill.examples.social.projection;

import static io.waybill.examples.social.source.Catalogue.ORDER;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import io.waybill.examples.social.source.Catalogue;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * {@code revenue_daily}: gross, refunded and net revenue for each day in UTC, in total, by community and by promotion.
 *
 * <p>The amount and the attribution of an order arrive in different events, in any order. {@code revenue_orders} holds what is known of
 * each order. Each event subtracts what the order contributed before, and adds what it contributes now.
 */
final class Revenue extends Projection {
    static final String MODEL = "revenue_daily";
    private static final String GROSS = "gross_cents";
    private static final String REFUNDED = "refunded_cents";
    private static final String PAID_DAY = "paid_day";
    private static final String REFUND_DAY = "refund_day";

    private final ReadModel orders;
    private final ReadModel days;

    Revenue(MongoDatabase database) {
        this(
                new ReadModel(
                        database,
                        "revenue_orders",
                        "order_id",
                        order -> order.append(GROSS, 0L).append(REFUNDED, 0L)),
                new ReadModel(
                        database, MODEL, "bucket", day -> day.append(GROSS, 0L).append(REFUNDED, 0L)));
    }

    private Revenue(ReadModel orders, ReadModel days) {
        super("revenue", "sc-analytics-revenue", List.of(Catalogue.topic(ORDER)), orders, days);
        this.orders = orders;
        this.days = days;
        on(
                "order.payment_succeeded",
                (session, event) -> change(
                        session,
                        event,
                        order ->
                                order.append(GROSS, event.count("amount_cents")).append(PAID_DAY, day(event))));
        on(
                "order.refund_initiated",
                (session, event) -> change(
                        session,
                        event,
                        order -> order.append(REFUNDED, event.count("amount_cents"))
                                .append(REFUND_DAY, day(event))));
        on(
                "order.attribution_recorded",
                (session, event) ->
                        change(session, event, order -> order.putAll(event.texts("community_id", "promotion_id"))));
    }

    private static String day(EventData event) {
        return event.occurredAt().atZone(ZoneOffset.UTC).toLocalDate().toString();
    }

    private void change(ClientSession session, EventData event, Consumer<Document> change) {
        List<Share> shares = new ArrayList<>();
        orders.change(session, event.entityId(), order -> {
            shares.addAll(shares(order, -1));
            change.accept(order);
            shares.addAll(shares(order, 1));
        });
        shares.forEach(share -> days.change(session, share.bucket(), share::addTo));
    }

    /** What an order contributes to one row. */
    private record Share(String day, String dimension, String id, long gross, long refunded) {
        String bucket() {
            return day + " " + dimension + " " + id;
        }

        void addTo(Document row) {
            long allGross = row.getLong(GROSS) + gross;
            long allRefunded = row.getLong(REFUNDED) + refunded;
            row.append("day", day)
                    .append("dimension", dimension)
                    .append("dimension_id", id)
                    .append(GROSS, allGross)
                    .append(REFUNDED, allRefunded)
                    .append("net_cents", allGross - allRefunded);
        }
    }

    private static List<Share> shares(Document order, int sign) {
        List<Share> shares = new ArrayList<>();
        add(shares, order, order.getString(PAID_DAY), sign * order.getLong(GROSS), 0);
        add(shares, order, order.getString(REFUND_DAY), 0, sign * order.getLong(REFUNDED));
        return shares;
    }

    private static void add(List<Share> shares, Document order, @Nullable String day, long gross, long refunded) {
        if (day == null) {
            return;
        }
        shares.add(new Share(day, "all", "", gross, refunded));
        for (String dimension : List.of("community", "promotion")) {
            String id = order.getString(dimension + "_id");
            if (id != null) {
                shares.add(new Share(day, dimension, id, gross, refunded));
            }
        }
    }

    @Override
    boolean ordered() {
        return false;
    }

    @Override
    String deadLetterTopic() {
        return "sc.dlq.analytics-general";
    }
}
