package io.waybill.mongodb;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.inc;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.WaybillException;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import io.waybill.store.ClaimedEvent;
import io.waybill.testkit.store.StoreBackend.Writer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Appending events, and the documents of writers in other languages. */
@SuppressWarnings("NullAway.Init") // JUnit calls open before each test
final class MongoOutboxTest {
    private MongoBackend backend;
    private MongoCollection<Document> events;

    @BeforeEach
    void open() {
        backend = MongoBackend.open();
        events = backend.database().getCollection("outbox_events");
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void aSessionWithoutATransactionIsRefused() {
        try (ClientSession session = backend.client().startSession()) {
            assertThatThrownBy(() -> backend.outbox().append(session, Event.of("order.placed", "Order", "42", "{}")))
                    .isInstanceOf(WaybillException.class)
                    .hasMessageContaining("order.placed/42")
                    .hasMessageContaining("startTransaction");
        }
        assertThat(events.countDocuments()).isZero();
    }

    @Test
    void theDocumentHasTheFieldsOfTheDesign() {
        Event event = Event.builder("user.created", "user", "65a1b2c3")
                .aggregateVersion(5)
                .topic("sc.domain.user")
                .payload("{\"n\": 1}")
                .build();
        try (Writer writer = backend.begin()) {
            writer.append(event);
            writer.commit();
        }
        Document document = events.find().first();
        assertThat(document)
                .containsEntry("event_id", event.id().toString())
                .containsEntry("event_type", "user.created")
                .containsEntry("entity_type", "user")
                .containsEntry("entity_id", "65a1b2c3")
                .containsEntry("entity_version", 5L)
                .containsEntry("topic", "sc.domain.user")
                .containsEntry("partition_key", "65a1b2c3")
                .containsEntry("status", "pending")
                .containsEntry("retry_count", 0)
                .containsEntry("max_retries", 5)
                .containsKeys("payload", "last_error", "last_error_at", "created_at", "processing_started_at")
                .containsKeys("published_at", "locked_by", "locked_until");
    }

    @Test
    void anEventIdIsAppendedOnce() {
        Event event = Event.of("order.placed", "Order", "42", "{}");
        try (Writer writer = backend.begin()) {
            writer.append(event);
            writer.commit();
        }
        try (Writer writer = backend.begin()) {
            assertThatThrownBy(() -> writer.append(event))
                    .isInstanceOf(WaybillException.class)
                    .hasMessageContaining("same id");
        }
    }

    /** In the order in which a service in Python or Node commits them, one transaction each. */
    @Test
    void documentsWithTheFieldsOfTheDesignOnlyAreServedInOrder() {
        for (int version = 1; version <= 3; version++) {
            insertForeign("65a1b2c3", version);
        }
        insertForeign("77", 1);

        List<ClaimedEvent> claims = drain();

        assertThat(claims).hasSize(4).allSatisfy(claim -> {
            assertThat(claim.event().headers()).containsEntry(Headers.ENVELOPE, "none");
            assertThat(claim.event().destination()).isEqualTo("sc.domain.user");
            assertThat(claim.event().payload())
                    .contains("\"event_type\": \"user.created\"")
                    .contains("\"occurred_at\": \"2026-02-05T10:30:00Z\"");
        });
        assertThat(versions(claims, "65a1b2c3")).containsExactly(1L, 2L, 3L);
        assertThat(events.countDocuments(eq("status", "published"))).isEqualTo(4);
    }

    /** Their writers' clocks differ. */
    @Test
    void documentsOfOneKeyAreServedByVersion() {
        try (ClientSession session = backend.client().startSession()) {
            session.startTransaction();
            for (int version : List.of(2, 3, 1)) {
                events.insertOne(session, foreign("65a1b2c3", version));
            }
            session.commitTransaction();
        }
        assertThat(versions(drain(), "65a1b2c3")).containsExactly(1L, 2L, 3L);
    }

    /** A document that is no event must not stop its lane. */
    @Test
    void aDocumentWithoutAnyFieldsIsClaimed() {
        events.insertOne(new Document("event_id", "x").append("status", "pending"));
        assertThat(drain()).hasSize(1);
    }

    private void insertForeign(String entity, int version) {
        try (ClientSession session = backend.client().startSession()) {
            session.startTransaction();
            events.insertOne(session, foreign(entity, version));
            session.commitTransaction();
        }
    }

    private static Document foreign(String entity, int version) {
        String id = UUID.randomUUID().toString();
        Document envelope = new Document("event_id", id)
                .append("event_type", "user.created")
                .append("entity_id", entity)
                .append("entity_version", version)
                .append("occurred_at", Date.from(Instant.parse("2026-02-05T10:30:00Z")))
                .append("schema_version", 1)
                .append("data", new Document("role", "USER"));
        return new Document("event_id", id)
                .append("event_type", "user.created")
                .append("entity_type", "user")
                .append("entity_id", entity)
                .append("entity_version", version)
                .append("topic", "sc.domain.user")
                .append("partition_key", entity)
                .append("payload", envelope)
                .append("status", "pending")
                .append("retry_count", 0)
                .append("max_retries", 5)
                .append("created_at", Date.from(Instant.now()));
    }

    private static List<Long> versions(List<ClaimedEvent> claims, String key) {
        return claims.stream()
                .map(ClaimedEvent::event)
                .filter(event -> event.key().equals(key))
                .map(event -> event.aggregateVersion().orElseThrow())
                .toList();
    }

    private List<ClaimedEvent> drain() {
        try (ManualRelay relay = new ManualRelay(backend.store(), "r1")) {
            List<ClaimedEvent> all = new ArrayList<>();
            for (List<ClaimedEvent> batch = relay.publish(); !batch.isEmpty(); batch = relay.publish()) {
                all.addAll(batch);
            }
            return all;
        }
    }

    /** {@link ClientSession#withTransaction} runs a transaction again that conflicts with another one. */
    @Test
    void conflictingTransactionsAppendEachEventOnce() throws Exception {
        MongoCollection<Document> orders = backend.database().getCollection("orders");
        orders.insertOne(new Document("_id", "42").append("version", 0L));
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> writers = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            writers.add(threads.submit(() -> {
                for (int n = 0; n < 10; n++) {
                    try (ClientSession session = backend.client().startSession()) {
                        session.withTransaction(() -> change(session, orders));
                    }
                }
            }));
        }
        for (Future<?> writer : writers) {
            writer.get(60, TimeUnit.SECONDS);
        }
        threads.shutdown();

        assertThat(backend.view().events(EventFilter.ALL.state(EventState.PENDING), 100))
                .hasSize(40);
        assertThat(versions(drain(), "42"))
                .isEqualTo(IntStream.rangeClosed(1, 40).mapToObj(Long::valueOf).toList());
    }

    private Document change(ClientSession session, MongoCollection<Document> orders) {
        Document order = orders.findOneAndUpdate(
                session,
                eq("_id", "42"),
                inc("version", 1L),
                new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER));
        if (order == null) {
            throw new AssertionError("the order is gone");
        }
        backend.outbox()
                .append(
                        session,
                        Event.builder("order.changed", "Order", "42")
                                .aggregateVersion(order.getLong("version"))
                                .build());
        return order;
    }
}
