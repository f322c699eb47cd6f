package io.waybill.examples.social.projection;

import static com.mongodb.client.model.Filters.eq;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.bson.Document;

/** A collection with one row for each id. Its index on the id is unique. */
final class ReadModel {
    private final String name;
    private final String idField;
    private final MongoCollection<Document> rows;
    private final UnaryOperator<Document> blank;

    /** @param blank fills a new row, which has only an id */
    ReadModel(MongoDatabase database, String name, String idField, UnaryOperator<Document> blank) {
        this.name = name;
        this.idField = idField;
        this.rows = database.getCollection(name);
        this.blank = blank;
    }

    String name() {
        return name;
    }

    void createIndexes() {
        rows.createIndex(Indexes.ascending(idField), new IndexOptions().unique(true));
    }

    /**
     * Changes a row, which is created if it is missing. If a concurrent transaction changes the same row, one of them fails and the
     * inbox runs it again.
     */
    void change(ClientSession session, String id, Consumer<Document> change) {
        Document row = rows.find(session, eq(idField, id)).first();
        if (row == null) {
            Document created = blank.apply(new Document(idField, id));
            change.accept(created);
            rows.insertOne(session, created);
        } else {
            change.accept(row);
            rows.replaceOne(session, eq("_id", row.get("_id")), row);
        }
    }

    void clear(ClientSession session) {
        rows.deleteMany(session, new Document());
    }
}
