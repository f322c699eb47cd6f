package io.waybill.examples.social.page;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Projections.excludeId;
import static com.mongodb.client.model.Sorts.descending;

import io.waybill.admin.OutboxStatus;
import io.waybill.examples.social.SocialCommerce;
import io.waybill.examples.social.projection.Projector;
import io.waybill.inbox.InboxStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.Document;
import org.bson.conversions.Bson;

/** What the page shows: the newest documents of the source, each beside its row in the read model. */
final class State {
    private static final int ROWS = 8;

    private final SocialCommerce system;

    State(SocialCommerce system) {
        this.system = system;
    }

    Map<String, Object> read() {
        Map<String, Object> state = new LinkedHashMap<>();
        OutboxStatus outbox = system.outbox().status();
        state.put("pending", outbox.pending());
        state.put("groups", groups());
        state.put("users", pairs("user", "user_cards", "user_id"));
        state.put("orders", pairs("order", "order_summaries", "order_id"));
        state.put("posts", pairs("post", "feed_items", "source_id"));
        state.put("products", pairs("product", "feed_items", "source_id"));
        state.put("promotions", pairs("promotion", "feed_items", "source_id"));
        state.put("funnel", rows("order_funnel_daily", new Document(), "day"));
        state.put("revenue", rows("revenue_daily", eq("dimension", "all"), "day"));
        state.put("deadLetters", rows("dlq_events", new Document(), "failed_at"));
        return state;
    }

    private List<Map<String, Object>> groups() {
        List<Map<String, Object>> groups = new ArrayList<>();
        for (Projector projector : system.projectors()) {
            InboxStatus status = system.inbox().view().status(projector.group());
            groups.add(Map.of(
                    "name", projector.name(),
                    "group", projector.group(),
                    "copiesSource", projector.copiesSource(),
                    "waiting", status.retrying() + status.parked(),
                    "deadLetters", status.deadLetters()));
        }
        return groups;
    }

    private List<Map<String, Object>> pairs(String entity, String model, String idField) {
        List<Document> sources = system.source().newest(entity, ROWS);
        List<String> ids =
                sources.stream().map(stored -> stored.getString("_id")).toList();
        Map<String, Document> rows = new LinkedHashMap<>();
        system.models()
                .getCollection(model)
                .find(in(idField, ids))
                .projection(excludeId())
                .forEach(row -> rows.put(row.getString(idField), row));
        List<Map<String, Object>> pairs = new ArrayList<>();
        for (Document stored : sources) {
            Map<String, Object> pair = new LinkedHashMap<>();
            pair.put("source", stored);
            pair.put("projection", rows.get(stored.getString("_id")));
            pairs.add(pair);
        }
        return pairs;
    }

    private List<Document> rows(String model, Bson filter, String newestFirst) {
        return system.models()
                .getCollection(model)
                .find(filter)
                .projection(excludeId())
                .sort(descending(newestFirst))
                .limit(ROWS)
                .into(new ArrayList<>());
    }
}
