package io.waybill.mongodb.inbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.inc;
import static com.mongodb.client.model.Updates.set;
import static com.mongodb.client.model.Updates.setOnInsert;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import io.waybill.inbox.InboxStore.Sequence;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.ConflictException;
import io.waybill.mongodb.internal.db.MongoErrors;
import io.waybill.mongodb.internal.db.MongoTransactions;
import org.bson.Document;
import org.bson.conversions.Bson;

/** The last version of each entity that a group has processed. */
final class VersionDocuments {
    private static final FindOneAndUpdateOptions UPSERT =
            new FindOneAndUpdateOptions().upsert(true).returnDocument(ReturnDocument.AFTER);

    private final MongoCollection<Document> versions;

    VersionDocuments(MongoTransactions database) {
        this.versions = database.collection(Collections.VERSIONS);
    }

    private static Bson of(String group, String key) {
        return and(eq(InboxFields.GROUP, group), eq(InboxFields.ENTITY_ID, key));
    }

    /** Records this version if it is above the last one. Returns whether it is. */
    boolean advance(ClientSession session, String group, String key, long version) {
        if (lock(session, group, key) >= version) {
            return false;
        }
        versions.updateOne(
                session, and(of(group, key), lt(InboxFields.VERSION, version)), set(InboxFields.VERSION, version));
        return true;
    }

    Sequence advanceStrictly(ClientSession session, String group, String key, long version, boolean acceptGap) {
        long last = lock(session, group, key);
        if (version <= last) {
            return Sequence.STALE;
        }
        if (version > last + 1 && !acceptGap) {
            return Sequence.GAP;
        }
        versions.updateOne(session, of(group, key), set(InboxFields.VERSION, version));
        return Sequence.NEXT;
    }

    /**
     * Returns the last version, and makes concurrent transactions of the same key conflict with this one. The document is created if
     * it is missing.
     */
    private long lock(ClientSession session, String group, String key) {
        try {
            Document last = versions.findOneAndUpdate(
                    session,
                    of(group, key),
                    combine(inc(InboxFields.TOUCHED, 1), setOnInsert(InboxFields.VERSION, 0L)),
                    UPSERT);
            return last == null ? 0 : last.getLong(InboxFields.VERSION);
        } catch (MongoException e) {
            if (MongoErrors.isDuplicateKey(e)) {
                throw new ConflictException("Another transaction has just recorded the first version of " + key, e);
            }
            throw e;
        }
    }
}
