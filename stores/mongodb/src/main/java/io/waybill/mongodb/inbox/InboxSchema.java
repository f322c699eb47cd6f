package io.waybill.mongodb.inbox;

import static java.util.Objects.requireNonNull;

import com.mongodb.client.MongoClient;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import io.waybill.mongodb.internal.db.AuditLog;
import io.waybill.mongodb.internal.db.CollectionSchema;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.util.List;
import java.util.stream.Collectors;
import org.bson.conversions.Bson;

/** The collections and indexes of the inbox. */
public final class InboxSchema {
    /** The version of the collections and indexes. */
    public static final int VERSION = 1;

    private static final String REMEDY =
            "Create what is missing with waybill inbox schema apply, or with InboxSchema.apply.";

    private static final IndexOptions UNIQUE = new IndexOptions().unique(true);
    private static final Bson ONE_EVENT = Indexes.ascending(InboxFields.GROUP, InboxFields.EVENT_ID);

    private static final List<CollectionSchema> COLLECTIONS = List.of(
            new CollectionSchema(Collections.PROCESSED)
                    .index(ONE_EVENT, UNIQUE)
                    .index(Indexes.ascending(InboxFields.GROUP, InboxFields.PROCESSED_AT)),
            new CollectionSchema(Collections.HELD)
                    .index(ONE_EVENT, UNIQUE)
                    .index(Indexes.ascending(InboxFields.GROUP, InboxFields.NEXT_ATTEMPT_AT))
                    .index(Indexes.ascending(InboxFields.GROUP, InboxFields.SCHEDULED_AT))
                    .index(Indexes.ascending(InboxFields.GROUP, InboxFields.ENTITY_ID, InboxFields.POSITION)),
            new CollectionSchema(Collections.VERSIONS)
                    .index(Indexes.ascending(InboxFields.GROUP, InboxFields.ENTITY_ID), UNIQUE),
            new CollectionSchema(Collections.DEAD_LETTERS)
                    .index(ONE_EVENT, UNIQUE)
                    .index(Indexes.ascending(InboxFields.FAILED_AT)),
            new CollectionSchema(Collections.INBOX_AUDIT).index(Indexes.ascending(AuditLog.EVENT_IDS)),
            new CollectionSchema(Collections.PAUSES)
                    .index(Indexes.ascending(InboxFields.GROUP, InboxFields.CONSUMER), UNIQUE),
            new CollectionSchema(Collections.EFFECTS)
                    .index(Indexes.ascending(InboxFields.GROUP, InboxFields.EFFECT_KEY), UNIQUE)
                    .index(Indexes.ascending(InboxFields.GROUP, InboxFields.DONE_AT)),
            new CollectionSchema(Collections.IDEMPOTENCY_KEYS)
                    .index(Indexes.ascending("scope", "key"), UNIQUE)
                    .index(Indexes.ascending(InboxFields.EXPIRES_AT)));

    private InboxSchema() {}

    /** Creates the missing collections and indexes. Existing indexes stay as they are. */
    public static void apply(MongoClient client, String database) {
        MongoTransactions target = target(client, database);
        target.call("create the collections of the inbox", () -> {
            COLLECTIONS.forEach(collection -> collection.apply(target));
            return COLLECTIONS;
        });
    }

    /** Returns one sentence for each missing part, and the remedy; empty if the schema is complete. */
    public static List<String> problems(MongoClient client, String database) {
        MongoTransactions target = target(client, database);
        return target.call(
                "check the collections of the inbox", () -> CollectionSchema.problems(COLLECTIONS, REMEDY, target));
    }

    /** Returns a script for {@code mongosh} that creates the collections and indexes. */
    public static String script() {
        return COLLECTIONS.stream().map(CollectionSchema::script).collect(Collectors.joining());
    }

    private static MongoTransactions target(MongoClient client, String database) {
        return new MongoTransactions(requireNonNull(client, "client"), requireNonNull(database, "database"));
    }
}
