package io.waybill.mongodb.internal.db;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.currentDate;
import static com.mongodb.client.model.Updates.currentTimestamp;

import com.mongodb.client.ClientSession;
import com.mongodb.client.model.UpdateOptions;
import io.waybill.admin.AuditEntry;
import io.waybill.admin.DeadLetters.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.bson.types.ObjectId;

/** The actions of operators: one document for each, with the ids of the events that it changed. */
public final class AuditLog {
    public static final String EVENT_IDS = "event_ids";
    private static final String SEQ = "seq";

    private final MongoTransactions database;
    private final String collection;

    public AuditLog(MongoTransactions database, String collection) {
        this.database = database;
        this.collection = collection;
    }

    /** @param scope further fields that identify the events; empty if their ids are enough */
    public void record(ClientSession session, String action, List<UUID> events, Decision decision, Document scope) {
        Document entry = new Document(scope)
                .append("actor", decision.actor())
                .append("action", action)
                .append("reason", decision.reason())
                .append("events", events.size())
                .append(EVENT_IDS, events.stream().map(UUID::toString).toList());
        database.collection(collection)
                .updateOne(
                        session,
                        eq("_id", new ObjectId()),
                        combine(new Document("$setOnInsert", entry), currentDate("at"), currentTimestamp(SEQ)),
                        new UpdateOptions().upsert(true));
    }

    /** Returns the actions on this event, oldest first. */
    public List<AuditEntry> history(UUID event, Document scope) {
        return database.call("read the history of event " + event, () -> {
            List<AuditEntry> entries = new ArrayList<>();
            database.collection(collection)
                    .find(and(scope, eq(EVENT_IDS, event.toString())))
                    .sort(ascending(SEQ))
                    .forEach(entry -> entries.add(new AuditEntry(
                            entry.get(SEQ, BsonTimestamp.class).getValue(),
                            entry.getDate("at").toInstant(),
                            entry.getString("actor"),
                            entry.getString("action"),
                            entry.getString("reason"),
                            entry.getInteger("events"))));
            return List.copyOf(entries);
        });
    }
}
