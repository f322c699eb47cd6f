package io.waybill.server.database.mongodb;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.exists;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.inc;
import static com.mongodb.client.model.Updates.set;
import static com.mongodb.client.model.Updates.setOnInsert;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateOptions;
import io.waybill.Event;
import io.waybill.mongodb.MongoOutbox;
import io.waybill.server.database.DemoOrders;
import java.time.Instant;
import java.util.function.LongFunction;
import org.bson.Document;

/** The orders of the demo in a collection. */
final class MongoDemoOrders implements DemoOrders {
    private final MongoClient client;
    private final MongoCollection<Document> orders;
    private final MongoCollection<Document> events;
    private final MongoOutbox outbox;

    MongoDemoOrders(MongoClient client, String database) {
        this.client = client;
        this.orders = client.getDatabase(database).getCollection("demo_orders");
        this.events = client.getDatabase(database).getCollection("outbox_events");
        this.outbox = MongoOutbox.in(client.getDatabase(database));
    }

    @Override
    public void create(int count) {
        if (orders.find().limit(1).first() == null) {
            for (long order = 1; order <= count; order++) {
                orders.updateOne(
                        eq("_id", order),
                        combine(setOnInsert("state", "new"), setOnInsert("changes", 0L)),
                        new UpdateOptions().upsert(true));
            }
        }
    }

    @Override
    public void change(long order, String state, String total, LongFunction<Event> event, boolean commit) {
        try (ClientSession session = client.startSession()) {
            session.withTransaction(() -> {
                Document changed = orders.findOneAndUpdate(
                        session,
                        eq("_id", order),
                        combine(inc("changes", 1L), set("state", state), set("total", total)),
                        new FindOneAndUpdateOptions().upsert(true).returnDocument(ReturnDocument.AFTER));
                long changes = changed == null ? 1 : changed.getLong("changes");
                outbox.append(session, event.apply(changes));
                if (!commit) {
                    session.abortTransaction();
                }
                return changes;
            });
        }
    }

    @Override
    public void insert(Event event, int most) {
        long open = events.countDocuments(and(eq("topic", event.destination()), exists("discarded_at", false)));
        if (open < most) {
            events.insertOne(new Document("event_id", event.id().toString())
                    .append("event_type", event.type())
                    .append("entity_type", event.aggregateType())
                    .append("entity_id", event.key())
                    .append("entity_version", 1L)
                    .append("topic", event.destination())
                    .append("partition_key", event.key())
                    .append("payload", Document.parse(event.payload()))
                    .append("status", "pending")
                    .append("retry_count", 0)
                    .append("created_at", Instant.now()));
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
