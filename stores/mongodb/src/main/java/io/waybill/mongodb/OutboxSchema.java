package io.waybill.mongodb;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.exists;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.setOnInsert;
import static java.util.Objects.requireNonNull;

import com.mongodb.client.MongoClient;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.UpdateOptions;
import io.waybill.mongodb.internal.db.AuditLog;
import io.waybill.mongodb.internal.db.CollectionSchema;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import io.waybill.mongodb.internal.outbox.EventFields;
import io.waybill.mongodb.internal.outbox.LaneStore;
import io.waybill.mongodb.internal.outbox.Lanes;
import java.util.List;
import org.bson.Document;

/** The collections and indexes of the outbox. */
public final class OutboxSchema {
    /** The version of the collections and indexes. */
    public static final int VERSION = 1;

    private static final String REMEDY =
            "Create what is missing with waybill schema apply, or with OutboxSchema.apply.";

    private static final List<CollectionSchema> COLLECTIONS = List.of(
            new CollectionSchema(Collections.EVENTS)
                    // the indexes that the design of the collection names
                    .index(Indexes.ascending(EventFields.STATUS, EventFields.CREATED_AT))
                    .index(Indexes.ascending(EventFields.STATUS, EventFields.PUBLISHED_AT))
                    .index(Indexes.ascending(EventFields.LOCKED_UNTIL))
                    .index(Indexes.ascending(EventFields.EVENT_ID), new IndexOptions().unique(true))
                    .index(Indexes.ascending(EventFields.ENTITY_ID, EventFields.ENTITY_VERSION))
                    // what a claim reads
                    .index(Indexes.ascending(EventFields.STATUS, EventFields.PARKED, EventFields.LANE, EventFields.SEQ))
                    .index(
                            Indexes.ascending(EventFields.HELD_KEY, EventFields.SEQ),
                            new IndexOptions().partialFilterExpression(exists(EventFields.HELD_KEY)))
                    .index(
                            Indexes.ascending(EventFields.RETRY_LANE, EventFields.NEXT_ATTEMPT_AT),
                            new IndexOptions().partialFilterExpression(exists(EventFields.RETRY_LANE)))
                    // what operators read
                    .index(
                            Indexes.ascending(EventFields.DEAD_AT),
                            new IndexOptions().partialFilterExpression(exists(EventFields.DEAD_AT)))
                    .index(
                            Indexes.ascending(EventFields.DISCARDED_AT),
                            new IndexOptions().partialFilterExpression(exists(EventFields.DISCARDED_AT))),
            new CollectionSchema(Collections.LANES),
            new CollectionSchema(Collections.CLAIMS),
            new CollectionSchema(Collections.RELAYS),
            new CollectionSchema(Collections.AUDIT).index(Indexes.ascending(AuditLog.EVENT_IDS)));

    private OutboxSchema() {}

    /** Creates the missing collections and indexes. Existing indexes stay as they are. */
    public static void apply(MongoClient client, String database) {
        MongoTransactions target =
                new MongoTransactions(requireNonNull(client, "client"), requireNonNull(database, "database"));
        target.call("create the collections of the outbox", () -> {
            COLLECTIONS.forEach(collection -> collection.apply(target));
            UpdateOptions upsert = new UpdateOptions().upsert(true);
            for (int lane : Lanes.ALL) {
                target.collection(Collections.LANES)
                        .updateOne(
                                eq("_id", lane), combine(setOnInsert("owner", null), setOnInsert("fence", 0L)), upsert);
                target.collection(Collections.CLAIMS)
                        .updateOne(
                                eq("_id", lane), combine(setOnInsert("owner", null), setOnInsert("fence", 0L)), upsert);
            }
            target.collection(Collections.CLAIMS)
                    .updateOne(eq("_id", LaneStore.FOREIGN_EVENTS), setOnInsert("changes", 0L), upsert);
            return COLLECTIONS;
        });
    }

    /** Returns one sentence for each missing part, and the remedy; empty if the schema is complete. */
    public static List<String> problems(MongoClient client, String database) {
        MongoTransactions target =
                new MongoTransactions(requireNonNull(client, "client"), requireNonNull(database, "database"));
        return target.call(
                "check the collections of the outbox", () -> CollectionSchema.problems(COLLECTIONS, REMEDY, target));
    }

    /** Returns a script for {@code mongosh} that creates the collections and indexes. */
    public static String script() {
        StringBuilder script = new StringBuilder();
        COLLECTIONS.forEach(collection -> script.append(collection.script()));
        Document free = new Document("owner", null).append("fence", 0L);
        script.append("for (let lane = 0; lane < ").append(Lanes.COUNT).append("; lane++) {\n");
        for (String lanes : List.of(Collections.LANES, Collections.CLAIMS)) {
            script.append("  db.").append(lanes).append(".updateOne({_id: lane}, {$setOnInsert: ");
            script.append("{owner: null, fence: NumberLong(")
                    .append(free.getLong("fence"))
                    .append(")}}, {upsert: true});\n");
        }
        script.append("}\ndb.")
                .append(Collections.CLAIMS)
                .append(".updateOne({_id: \"")
                .append(LaneStore.FOREIGN_EVENTS);
        return script.append("\"}, {$setOnInsert: {changes: NumberLong(0)}}, {upsert: true});\n")
                .toString();
    }
}
