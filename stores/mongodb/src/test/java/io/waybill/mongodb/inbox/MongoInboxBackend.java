package io.waybill.mongodb.inbox;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.currentTimestamp;
import static com.mongodb.client.model.Updates.setOnInsert;

import com.mongodb.MongoException;
import com.mongodb.MongoSocketException;
import com.mongodb.ServerAddress;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateOptions;
import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.inbox.Effects;
import io.waybill.inbox.IdempotencyKeys;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxView;
import io.waybill.mongodb.MongoBackend;
import io.waybill.testkit.inbox.InboxBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.Document;
import org.bson.types.ObjectId;

/** Inbox and outbox in a new database. */
final class MongoInboxBackend implements InboxBackend<ClientSession> {
    private static final int NOT_PRIMARY = 10_107;

    private static final Map<String, List<String>> TIMES = Map.of(
            "processed_events", List.of("processed_at"),
            "inbox_held", List.of("patience_ends", "locked_until", "held_at", "scheduled_at", "next_attempt_at"),
            "inbox_dead_letters", List.of("failed_at"),
            "inbox_pauses", List.of("paused_since", "expires_at"),
            "inbox_effects", List.of("done_at"),
            "idempotency_keys", List.of("locked_until", "expires_at"));

    private final MongoBackend database = MongoBackend.open();
    private final MongoInbox inbox = MongoInbox.on(database.client(), database.name());
    private final MongoCollection<Document> ledger = database.database().getCollection("ledger");

    MongoInboxBackend() {
        InboxSchema.apply(database.client(), database.name());
        database.database().createCollection("ledger");
    }

    MongoBackend database() {
        return database;
    }

    MongoInbox inbox() {
        return inbox;
    }

    @Override
    public InboxStore<ClientSession> store() {
        return inbox.store();
    }

    @Override
    public InboxView view() {
        return inbox.view();
    }

    @Override
    public InboxDeadLetters deadLetters() {
        return inbox.deadLetters();
    }

    @Override
    public Effects effects(String group) {
        return inbox.effects(group);
    }

    @Override
    public IdempotencyKeys<ClientSession> idempotencyKeys() {
        return inbox.idempotencyKeys();
    }

    @Override
    public Outbox<ClientSession> outbox() {
        return database.outbox();
    }

    @Override
    public void writeLedger(ClientSession transaction, String line) {
        ledger.updateOne(
                transaction,
                eq("_id", new ObjectId()),
                combine(setOnInsert("line", line), currentTimestamp("n")),
                new UpdateOptions().upsert(true));
    }

    @Override
    public List<String> ledger() {
        return ledger.find()
                .sort(ascending("n"))
                .map(line -> line.getString("line"))
                .into(new ArrayList<>());
    }

    @Override
    public List<Event> appended() {
        return database.view().events(EventFilter.ALL, 1_000).stream()
                .map(EventRecord::event)
                .toList();
    }

    @Override
    public void age(Duration time) {
        database.age(time, TIMES);
    }

    @Override
    public long marks(String group) {
        return count("processed_events", group);
    }

    @Override
    public long effectCount(String group) {
        return count("inbox_effects", group);
    }

    private long count(String collection, String group) {
        return database.database().getCollection(collection).countDocuments(eq("consumer_group", group));
    }

    @Override
    public Exception connectionError() {
        return new MongoSocketException("connection lost", new ServerAddress("127.0.0.1"));
    }

    @Override
    public Exception readOnlyError() {
        return new MongoException(NOT_PRIMARY, "not primary");
    }

    @Override
    public void close() {
        database.close();
    }
}
