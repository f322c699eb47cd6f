package io.waybill.mongodb.inbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Filters.ne;
import static com.mongodb.client.model.Projections.include;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.currentDate;
import static com.mongodb.client.model.Updates.set;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.WriteModel;
import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.inbox.DeadLetter;
import io.waybill.internal.StorableText;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.ConflictException;
import io.waybill.mongodb.internal.db.MongoErrors;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;

/**
 * The decisions of each group, one document for each event.
 *
 * <p>In MongoDB a concurrent transaction does not wait for the mark of another one: one of the two fails. {@link
 * MongoTransactions} runs it again, and it then finds the mark, unless the other transaction was aborted.
 */
final class ProcessedMarks {
    static final String PROCESSED = "PROCESSED";
    static final String DEAD_LETTERED = "DEAD_LETTERED";
    private static final int MAX_SOURCE_LENGTH = 255;

    private final MongoCollection<Document> marks;

    ProcessedMarks(MongoTransactions database) {
        this.marks = database.collection(Collections.PROCESSED);
    }

    static Bson of(String group, UUID id) {
        return and(eq(InboxFields.GROUP, group), eq(InboxFields.EVENT_ID, id.toString()));
    }

    private static Bson of(String group, Collection<UUID> ids) {
        return and(
                eq(InboxFields.GROUP, group),
                in(InboxFields.EVENT_ID, ids.stream().map(UUID::toString).toList()));
    }

    boolean exists(ClientSession session, String group, UUID id) {
        return marks.find(session, of(group, id))
                        .projection(include(InboxFields.EVENT_ID))
                        .first()
                != null;
    }

    /** Returns the ids of the events that have a mark. */
    Set<UUID> existing(ClientSession session, String group, Collection<UUID> ids) {
        Set<UUID> found = new HashSet<>();
        marks.find(session, of(group, ids))
                .projection(include(InboxFields.EVENT_ID))
                .forEach(mark -> found.add(UUID.fromString(mark.getString(InboxFields.EVENT_ID))));
        return found;
    }

    void insert(ClientSession session, String group, List<Event> events) {
        insert(
                session,
                events.stream()
                        .map(event -> mark(new Document(InboxFields.GROUP, group)
                                .append(InboxFields.EVENT_ID, event.id().toString())
                                .append(InboxFields.EVENT_TYPE, event.type())
                                .append(
                                        InboxFields.SOURCE,
                                        StorableText.sanitize(
                                                event.headers().getOrDefault(Headers.SOURCE, ""), MAX_SOURCE_LENGTH))
                                .append(InboxFields.ENTITY_ID, event.key())
                                .append(
                                        InboxFields.ENTITY_VERSION,
                                        event.aggregateVersion().isPresent()
                                                ? event.aggregateVersion().getAsLong()
                                                : null)
                                .append(InboxFields.OUTCOME, PROCESSED)))
                        .toList());
    }

    void insert(ClientSession session, DeadLetter letter) {
        insert(
                session,
                List.of(mark(new Document(InboxFields.GROUP, letter.group())
                        .append(InboxFields.EVENT_ID, letter.eventId().toString())
                        .append(InboxFields.EVENT_TYPE, letter.eventType())
                        .append(InboxFields.ENTITY_ID, letter.qualifiedKey())
                        .append(InboxFields.ENTITY_VERSION, null)
                        .append(InboxFields.OUTCOME, DEAD_LETTERED))));
    }

    /** An upsert that never finds a document, because only an update can set a field to the time of the server. */
    private static WriteModel<Document> mark(Document fields) {
        return new UpdateOneModel<>(
                eq("_id", new ObjectId()),
                combine(new Document("$setOnInsert", fields), currentDate(InboxFields.PROCESSED_AT)),
                new UpdateOptions().upsert(true));
    }

    private void insert(ClientSession session, List<WriteModel<Document>> inserts) {
        try {
            marks.bulkWrite(session, inserts);
        } catch (MongoException e) {
            if (MongoErrors.isDuplicateKey(e)) {
                throw new ConflictException("Another transaction has just decided one of these events.", e);
            }
            throw e;
        }
    }

    void setOutcome(ClientSession session, String group, Collection<UUID> ids, String outcome) {
        marks.updateMany(
                session,
                of(group, ids),
                combine(set(InboxFields.OUTCOME, outcome), currentDate(InboxFields.PROCESSED_AT)));
    }

    void delete(ClientSession session, String group, Collection<UUID> ids) {
        marks.deleteMany(session, of(group, ids));
    }

    /** Removes marks that were written before this time, except those of dead letters. */
    int prune(String group, Date before, int limit) {
        Bson old = and(
                eq(InboxFields.GROUP, group),
                lt(InboxFields.PROCESSED_AT, before),
                ne(InboxFields.OUTCOME, DEAD_LETTERED));
        List<Object> ids = new ArrayList<>();
        marks.find(old)
                .projection(include("_id"))
                .sort(ascending(InboxFields.PROCESSED_AT))
                .limit(limit)
                .forEach(mark -> ids.add(mark.get("_id")));
        return ids.isEmpty()
                ? 0
                : (int) marks.deleteMany(and(in("_id", ids), old)).getDeletedCount();
    }
}
