package io.waybill.examples.social;

import static com.mongodb.client.model.Filters.eq;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.examples.social.source.Catalogue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/** Recomputes the read models from the source, without code of the projections. */
final class ReadModels {
    private static final List<String> CARD =
            List.of("status", "role", "display_name", "avatar_url", "bio", "follower_count", "following_count");
    private static final List<String> SUMMARY = List.of(
            "order_number",
            "customer_id",
            "total_cents",
            "currency",
            "status",
            "payment_status",
            "attribution",
            "created_at",
            "confirmed_at",
            "shipped_at",
            "delivered_at");
    private static final Map<String, List<String>> ITEM = Map.of(
            Catalogue.POST,
            List.of("title", "body", "author_id", "community_id", "like_count", "pinned", "global"),
            Catalogue.PRODUCT,
            List.of("title", "supplier_id", "price_cents"),
            Catalogue.PROMOTION,
            List.of("title", "supplier_id", "community_id"));

    private final SocialCommerce system;

    ReadModels(SocialCommerce system) {
        this.system = system;
    }

    void assertEqualSource() {
        assertUserCards();
        assertFeed();
        assertOrders();
        assertAnalytics();
    }

    void assertUserCards() {
        Map<Object, Document> cards = rows("user_cards", "user_id");
        List<Document> orders = all(Catalogue.ORDER);
        List<Document> communities = all(Catalogue.COMMUNITY);
        List<Document> users = all(Catalogue.USER);
        assertThat(cards).hasSameSizeAs(users);
        for (Document user : users) {
            String id = user.getString("_id");
            long joined = communities.stream()
                    .filter(community ->
                            community.getList("members", String.class).contains(id))
                    .count();
            long ordered = orders.stream()
                    .filter(order -> id.equals(order.get("customer_id")))
                    .count();
            assertRow(user, cards.get(id), CARD);
            assertThat(cards.get(id))
                    .containsEntry("total_orders", ordered)
                    .containsEntry("communities_joined", joined);
        }
    }

    void assertFeed() {
        Map<Object, Document> items = rows("feed_items", "source_id");
        ITEM.forEach((entity, fields) -> {
            for (Document stored : all(entity)) {
                Document item = items.get(stored.get("_id"));
                assertRow(stored, item, fields);
                boolean shown = List.of("PUBLISHED", "ACTIVE").contains(stored.getString("status"));
                assertThat(item).containsEntry("item_type", entity).containsEntry("visible", shown);
            }
        });
    }

    void assertOrders() {
        Map<Object, Document> summaries = rows("order_summaries", "order_id");
        for (Document order : all(Catalogue.ORDER)) {
            Document summary = summaries.get(order.get("_id"));
            assertRow(order, summary, SUMMARY);
            List<Document> items = order.getList("items", Document.class);
            assertThat(summary)
                    .containsEntry("item_count", (long) items.size())
                    .containsEntry("items", order.get("confirmed_at") == null ? List.of() : items);
        }
    }

    /** All tests run on one or two days. */
    void assertAnalytics() {
        List<Document> orders = all(Catalogue.ORDER);
        Map<String, Long> funnel = sums("order_funnel_daily", new Document(), "created", "confirmed", "cancelled");
        assertThat(funnel)
                .containsEntry("created", (long) orders.size())
                .containsEntry("confirmed", count(orders, "confirmed_at"));
        long gross = sum(orders.stream()
                .filter(order -> order.get("paid_at") != null)
                .map(order -> order.getLong("total_cents"))
                .toList());
        long refunded = sum(
                orders.stream().map(order -> order.getLong("refunded_cents")).toList());
        for (String dimension : List.of("all", "community", "promotion")) {
            assertThat(sums("revenue_daily", new Document("dimension", dimension), "gross_cents", "refunded_cents"))
                    .as(dimension)
                    .containsEntry("gross_cents", gross)
                    .containsEntry("refunded_cents", refunded);
        }
    }

    private static void assertRow(Document stored, @Nullable Document row, List<String> fields) {
        if (row == null) {
            throw new AssertionError("There is no row for " + stored);
        }
        Map<String, Object> expected = new HashMap<>();
        Map<String, Object> actual = new HashMap<>();
        for (String field : fields) {
            expected.put(field, stored.get(field));
            actual.put(field, row.get(field));
        }
        expected.put("version", stored.get("version"));
        actual.put("version", row.get("entity_version"));
        assertThat(actual).as("the row of " + stored).isEqualTo(expected);
    }

    private static long count(List<Document> orders, String field) {
        return orders.stream().filter(order -> order.get(field) != null).count();
    }

    private static long sum(List<Long> numbers) {
        return numbers.stream().mapToLong(Long::longValue).sum();
    }

    private Map<String, Long> sums(String model, Document filter, String... fields) {
        Map<String, Long> sums = new HashMap<>();
        for (String field : fields) {
            sums.put(field, 0L);
            system.models()
                    .getCollection(model)
                    .find(filter)
                    .forEach(row -> sums.merge(field, row.getLong(field), Long::sum));
        }
        return sums;
    }

    private List<Document> all(String entity) {
        return system.source().collection(entity).find().into(new ArrayList<>());
    }

    private Map<Object, Document> rows(String model, String idField) {
        Map<Object, Document> rows = new HashMap<>();
        system.models().getCollection(model).find().forEach(row -> {
            assertThat(rows.put(row.get(idField), row))
                    .as("one row for each id")
                    .isNull();
        });
        return rows;
    }

    @Nullable
    Document row(String model, String field, Object value) {
        return system.models().getCollection(model).find(eq(field, value)).first();
    }
}
