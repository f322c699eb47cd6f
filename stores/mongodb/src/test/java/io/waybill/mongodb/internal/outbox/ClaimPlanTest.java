package io.waybill.mongodb.internal.outbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lte;
import static com.mongodb.client.model.Sorts.ascending;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import io.waybill.Event;
import io.waybill.mongodb.MongoBackend;
import io.waybill.testkit.store.StoreBackend.Writer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The indexes that claims use while the collection is full of published events. */
@SuppressWarnings("NullAway.Init") // JUnit calls fill before each test
final class ClaimPlanTest {
    private static final int PUBLISHED = 10_000;

    private MongoBackend backend;
    private MongoCollection<Document> events;

    @BeforeEach
    void fill() {
        backend = MongoBackend.open();
        events = backend.database().getCollection("outbox_events");
        List<Document> published = new ArrayList<>();
        for (int n = 0; n < PUBLISHED; n++) {
            published.add(new Document("event_id", UUID.randomUUID().toString())
                    .append("status", "published")
                    .append("parked", false)
                    .append("lane", n % Lanes.COUNT)
                    .append("seq", new BsonTimestamp(1_000, n))
                    .append("entity_id", "k" + n)
                    .append("created_at", Date.from(Instant.EPOCH))
                    .append("published_at", Date.from(Instant.EPOCH)));
        }
        events.insertMany(published);
        try (Writer writer = backend.begin()) {
            writer.append(Event.of("order.placed", "Order", "a", "{}"));
            writer.commit();
        }
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void everyQueryOfAClaimUsesAnIndex() {
        int lane = Lanes.of("a");
        FindIterable<Document> pending = events.find(ParkedEvents.pending(lane)).sort(ascending("seq"));
        assertThat(pending.into(new ArrayList<>())).hasSize(1);
        assertThat(index(pending.limit(100))).isEqualTo("status_1_parked_1_lane_1_seq_1");
        assertThat(index(events.find(and(Settlement.claimed(lane), in("seq", new BsonTimestamp(1, 1))))))
                .isEqualTo("status_1_parked_1_lane_1_seq_1");
        assertThat(index(events.find(in("held_key", "a", "b")))).isEqualTo("held_key_1_seq_1");
        assertThat(index(events.find(and(eq("retry_lane", lane), lte("next_attempt_at", Date.from(Instant.now()))))))
                .isEqualTo("retry_lane_1_next_attempt_at_1");
        assertThat(index(events.find(ForeignEvents.WITHOUT_LANE).limit(1))).startsWith("status_1_");
    }

    /** Returns the name of the index that serves the query; empty if the whole collection is read. */
    private static String index(FindIterable<Document> query) {
        Document plan = query.explain().get("queryPlanner", Document.class).get("winningPlan", Document.class);
        Document stage = plan.get("queryPlan", plan);
        while (!stage.containsKey("indexName") && stage.containsKey("inputStage")) {
            stage = stage.get("inputStage", Document.class);
        }
        String index = stage.getString("indexName");
        return index == null ? "" : index;
    }
}
