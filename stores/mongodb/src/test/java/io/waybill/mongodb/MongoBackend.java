package io.waybill.mongodb;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.type;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.waybill.Event;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.OutboxView;
import io.waybill.store.OutboxStore;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.testkit.store.StoreBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.bson.BsonType;
import org.bson.Document;

/** An outbox in a new database. */
public final class MongoBackend implements StoreBackend {
    private static final Map<String, List<String>> OUTBOX_TIMES = Map.of(
            "outbox_lanes", List.of("expires_at"),
            "outbox_relays", List.of("heartbeat_at", "expires_at"),
            "outbox_events",
                    List.of(
                            "created_at",
                            "next_attempt_at",
                            "published_at",
                            "dead_at",
                            "discarded_at",
                            "locked_until"));

    private final MongoClient client;
    private final String name;
    private final MongoOutboxStore store;
    private final MongoOutbox outbox;

    private MongoBackend(String uri, String name) {
        this.client = MongoClients.create(uri);
        this.name = name;
        OutboxSchema.apply(client, name);
        this.store = MongoOutboxStore.on(client, name);
        this.outbox = MongoOutbox.in(client.getDatabase(name));
    }

    public static MongoBackend open() {
        return on(SharedServers.mongoUri());
    }

    public static MongoBackend on(String uri) {
        return new MongoBackend(uri, SharedServers.freshMongoName());
    }

    public MongoClient client() {
        return client;
    }

    public String name() {
        return name;
    }

    public MongoDatabase database() {
        return client.getDatabase(name);
    }

    public MongoOutbox outbox() {
        return outbox;
    }

    @Override
    public OutboxStore store() {
        return store;
    }

    @Override
    public OutboxView view() {
        return store.view();
    }

    @Override
    public DeadLetters deadLetters() {
        return store.deadLetters();
    }

    @Override
    public Writer begin() {
        ClientSession session = client.startSession();
        session.startTransaction();
        return new MongoWriter(session, outbox);
    }

    @Override
    public void age(Duration time) {
        age(time, OUTBOX_TIMES);
    }

    public void age(Duration time, Map<String, List<String>> times) {
        times.forEach((collection, fields) -> fields.forEach(field -> database()
                .getCollection(collection)
                .updateMany(
                        type(field, BsonType.DATE_TIME),
                        List.of(new Document(
                                "$set",
                                new Document(
                                        field, new Document("$subtract", List.of("$" + field, time.toMillis()))))))));
    }

    @Override
    public void delete(UUID id) {
        database().getCollection("outbox_events").deleteOne(eq("event_id", id.toString()));
    }

    @Override
    public void close() {
        database().drop();
        client.close();
    }

    private record MongoWriter(ClientSession session, MongoOutbox outbox) implements Writer {
        @Override
        public void append(Event event) {
            outbox.append(session, event);
        }

        @Override
        public void commit() {
            session.commitTransaction();
        }

        @Override
        public void close() {
            session.close();
        }
    }
}
