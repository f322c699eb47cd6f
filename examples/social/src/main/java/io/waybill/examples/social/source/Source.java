package io.waybill.examples.social.source;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Sorts.descending;

import com.mongodb.ReadConcern;
import com.mongodb.TransactionOptions;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.mongodb.MongoOutbox;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.Document;
import org.bson.types.ObjectId;
import tools.jackson.databind.json.JsonMapper;

/**
 * The producer side: one document for each entity. A change stores the document with the next version and appends its event, in one
 * transaction.
 *
 * <p>Two changes of one entity exclude each other, because both write its document. So the versions of an entity have no gaps, and its
 * events are appended in the order of its versions.
 */
public final class Source {
    public static final String VERSION = "version";
    public static final String STATUS = "status";
    public static final String CREATED_AT = "created_at";

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Map<String, String> PRIVACY =
            Map.of(Catalogue.USER, "restricted", Catalogue.POST, "public", Catalogue.PRODUCT, "public");
    private static final Map<String, String> ACTOR =
            Map.of(Catalogue.USER, "_id", Catalogue.ORDER, "customer_id", Catalogue.POST, "author_id");
    private static final TransactionOptions DURABLE = TransactionOptions.builder()
            .readConcern(ReadConcern.SNAPSHOT)
            .writeConcern(WriteConcern.MAJORITY.withJournal(true))
            .build();

    private final MongoClient client;
    private final MongoDatabase database;
    private final MongoOutbox outbox;

    public Source(MongoClient client, String database) {
        this.client = client;
        this.database = client.getDatabase(database);
        this.outbox = MongoOutbox.in(this.database);
    }

    /** Changes the document of an entity, and returns the data of the event. */
    @FunctionalInterface
    public interface Change {
        Document apply(Document entity);
    }

    public static String newId() {
        return new ObjectId().toHexString();
    }

    /** Returns the current time in milliseconds, the resolution of the database. */
    static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }

    public MongoCollection<Document> collection(String entity) {
        return database.getCollection(Catalogue.collection(entity));
    }

    /** Returns the newest entities, the newest one first. Their ids ascend with time. */
    public List<Document> newest(String entity, int count) {
        return collection(entity).find().sort(descending("_id")).limit(count).into(new ArrayList<>());
    }

    /** Stores version 1 of an entity, with the event {@code created}. */
    public void create(String entity, String id, Document state, Document data) {
        Document stored = new Document("_id", id).append(VERSION, 1L);
        stored.putAll(state);
        transaction(session -> {
            collection(entity).insertOne(session, stored);
            outbox.append(session, event(entity, "created", stored, data));
        });
    }

    /** Stores the next version of an entity, with its event. */
    public void change(String entity, String id, String action, Change change) {
        transaction(session -> {
            Document stored = collection(entity).find(session, eq("_id", id)).first();
            if (stored == null) {
                throw new IllegalArgumentException("There is no " + entity + " " + id + ".");
            }
            stored.put(VERSION, stored.getLong(VERSION) + 1);
            Document data = change.apply(stored);
            collection(entity).replaceOne(session, eq("_id", id), stored);
            outbox.append(session, event(entity, action, stored, data));
        });
    }

    @FunctionalInterface
    private interface Work {
        void in(ClientSession session);
    }

    /** The driver runs the work again after a conflict. */
    private void transaction(Work work) {
        try (ClientSession session = client.startSession()) {
            session.withTransaction(
                    () -> {
                        work.in(session);
                        return true;
                    },
                    DURABLE);
        }
    }

    private static Event event(String entity, String action, Document stored, Document data) {
        Document all = new Document(entity + "_id", stored.getString("_id"));
        all.putAll(data);
        Event.Builder event = Event.builder(entity + "." + action, entity, stored.getString("_id"))
                .topic(Catalogue.topic(entity))
                .aggregateVersion(stored.getLong(VERSION))
                .payload(JSON.writeValueAsString(all))
                .header("privacy-tier", PRIVACY.getOrDefault(entity, "internal"));
        String actor = ACTOR.get(entity);
        if (actor != null) {
            event.header(Headers.USER_ID, stored.getString(actor));
        }
        return event.build();
    }
}
