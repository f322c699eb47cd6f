package io.waybill.mongodb.internal.db;

import com.mongodb.MongoClientSettings;
import com.mongodb.client.model.IndexModel;
import com.mongodb.client.model.IndexOptions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.Document;
import org.bson.conversions.Bson;

/** A collection and its indexes. */
public final class CollectionSchema {
    private final String name;
    private final List<IndexModel> indexes = new ArrayList<>();

    public CollectionSchema(String name) {
        this.name = name;
    }

    public CollectionSchema index(Bson keys) {
        return index(keys, new IndexOptions());
    }

    public CollectionSchema index(Bson keys, IndexOptions options) {
        indexes.add(new IndexModel(keys, options));
        return this;
    }

    public void apply(MongoTransactions database) {
        Set<String> existing = database.database().listCollectionNames().into(new HashSet<>());
        if (!existing.contains(name)) {
            database.database().createCollection(name);
        }
        if (!indexes.isEmpty()) {
            database.collection(name).createIndexes(indexes);
        }
    }

    /**
     * Returns one sentence for each missing part; empty if the collections are complete.
     *
     * @param remedy creates what is missing, as in "Create them with X."
     */
    public static List<String> problems(List<CollectionSchema> collections, String remedy, MongoTransactions database) {
        Set<String> existing = database.database().listCollectionNames().into(new HashSet<>());
        List<String> missing = collections.stream()
                .map(collection -> collection.name)
                .filter(name -> !existing.contains(name))
                .toList();
        List<String> problems = new ArrayList<>();
        if (!missing.isEmpty()) {
            problems.add("These collections do not exist: " + String.join(", ", missing) + ".");
        }
        collections.stream()
                .filter(collection -> existing.contains(collection.name))
                .forEach(collection -> problems.addAll(collection.missingIndexes(database)));
        if (!problems.isEmpty()) {
            problems.add(remedy);
        }
        return problems;
    }

    /** Returns the missing indexes, one sentence each. An index with the same fields counts, whatever its name is. */
    private List<String> missingIndexes(MongoTransactions database) {
        Set<BsonDocument> existing = new HashSet<>();
        database.collection(name).listIndexes().forEach(index -> {
            BsonDocument keys = bson(index.get("key", Document.class));
            keys.replaceAll(
                    (field, order) -> new org.bson.BsonInt32(order.asNumber().intValue()));
            existing.add(keys);
        });
        return indexes.stream()
                .map(index -> bson(index.getKeys()))
                .filter(keys -> !existing.contains(keys))
                .map(keys -> "The index " + keys.toJson() + " of collection " + name + " is missing.")
                .toList();
    }

    /** Returns the lines of a script for {@code mongosh}. */
    public String script() {
        StringBuilder script = new StringBuilder("db.createCollection(\"" + name + "\");\n");
        for (IndexModel index : indexes) {
            Document options = new Document();
            if (index.getOptions().isUnique()) {
                options.append("unique", true);
            }
            Bson partial = index.getOptions().getPartialFilterExpression();
            if (partial != null) {
                options.append("partialFilterExpression", bson(partial));
            }
            script.append("db.")
                    .append(name)
                    .append(".createIndex(")
                    .append(bson(index.getKeys()).toJson());
            script.append(options.isEmpty() ? "" : ", " + bson(options).toJson())
                    .append(");\n");
        }
        return script.toString();
    }

    private static BsonDocument bson(Bson document) {
        return document.toBsonDocument(Document.class, MongoClientSettings.getDefaultCodecRegistry());
    }
}
