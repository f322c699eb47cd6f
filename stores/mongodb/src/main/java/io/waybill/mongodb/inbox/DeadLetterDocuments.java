package io.waybill.mongodb.inbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.empty;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Sorts.ascending;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import io.waybill.WaybillException;
import io.waybill.admin.AuditEntry;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.EventFilter;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.mongodb.internal.db.AuditLog;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/** The dead letters of all groups. */
final class DeadLetterDocuments implements InboxDeadLetters {
    private final MongoTransactions database;
    private final MongoCollection<Document> letters;
    private final ProcessedMarks marks;
    private final HeldEvents held;
    private final AuditLog audit;

    DeadLetterDocuments(MongoTransactions database) {
        this.database = database;
        this.letters = database.collection(Collections.DEAD_LETTERS);
        this.marks = new ProcessedMarks(database);
        this.held = new HeldEvents(database, marks);
        this.audit = new AuditLog(database, Collections.INBOX_AUDIT);
    }

    void insert(ClientSession session, DeadLetter letter) {
        letters.insertOne(
                session,
                MessageDocuments.fields(letter.message())
                        .append(InboxFields.GROUP, letter.group())
                        .append(InboxFields.EVENT_ID, letter.eventId().toString())
                        .append(InboxFields.EVENT_TYPE, letter.eventType())
                        .append(InboxFields.ENTITY_ID, letter.qualifiedKey())
                        .append(InboxFields.ATTEMPTS, letter.attempts())
                        .append(InboxFields.ERROR_CLASS, letter.errorClass())
                        .append(InboxFields.ERROR, letter.error())
                        .append(InboxFields.FAILED_AT, Date.from(letter.failedAt())));
    }

    private static DeadLetter letter(Document document) {
        return new DeadLetter(
                document.getString(InboxFields.GROUP),
                UUID.fromString(document.getString(InboxFields.EVENT_ID)),
                document.getString(InboxFields.EVENT_TYPE),
                document.getString(InboxFields.ENTITY_ID),
                MessageDocuments.message(document),
                document.getInteger(InboxFields.ATTEMPTS),
                document.getString(InboxFields.ERROR_CLASS),
                document.getString(InboxFields.ERROR),
                document.getDate(InboxFields.FAILED_AT).toInstant());
    }

    @Override
    public List<DeadLetter> list(@Nullable String group, EventFilter filter, int limit) {
        Instant now = database.now();
        List<Bson> conditions = new ArrayList<>(List.of(empty()));
        if (group != null) {
            conditions.add(eq(InboxFields.GROUP, group));
        }
        if (filter.key() != null) {
            conditions.add(eq(InboxFields.MESSAGE_KEY, filter.key()));
        }
        if (filter.type() != null) {
            conditions.add(eq(InboxFields.EVENT_TYPE, filter.type()));
        }
        if (filter.olderThan() != null) {
            conditions.add(lt(InboxFields.FAILED_AT, Date.from(now.minus(filter.olderThan()))));
        }
        if (filter.youngerThan() != null) {
            conditions.add(gt(InboxFields.FAILED_AT, Date.from(now.minus(filter.youngerThan()))));
        }
        return database.call(
                "list dead letters",
                () -> letters.find(and(conditions))
                        .sort(ascending(InboxFields.FAILED_AT, InboxFields.EVENT_ID))
                        .limit(Math.max(1, Math.min(limit, LARGEST_BULK)))
                        .map(DeadLetterDocuments::letter)
                        .into(new ArrayList<>()));
    }

    @Override
    public Optional<DeadLetter> find(String group, UUID eventId) {
        return database.call(
                "find dead letter " + eventId,
                () -> Optional.ofNullable(
                                letters.find(ProcessedMarks.of(group, eventId)).first())
                        .map(DeadLetterDocuments::letter));
    }

    @Override
    public List<UUID> replay(String group, List<UUID> eventIds, Decision decision) {
        return change("replay", group, eventIds, decision, (session, found, ids) -> {
            held.replay(session, group, found);
            marks.delete(session, group, ids);
        });
    }

    @Override
    public List<UUID> discard(String group, List<UUID> eventIds, Decision decision) {
        return change(
                "discard",
                group,
                eventIds,
                decision,
                (session, found, ids) -> marks.setOutcome(session, group, ids, "DISCARDED"));
    }

    @FunctionalInterface
    private interface Change {
        void make(ClientSession session, List<DeadLetter> found, List<UUID> ids);
    }

    private List<UUID> change(String action, String group, List<UUID> eventIds, Decision decision, Change change) {
        if (eventIds.size() > LARGEST_BULK) {
            throw new WaybillException("Cannot " + action + " " + eventIds.size() + " dead letters at once; at most "
                    + LARGEST_BULK + " are allowed. Split the list.");
        }
        if (eventIds.isEmpty()) {
            return List.of();
        }
        Bson chosen = and(
                eq(InboxFields.GROUP, group),
                in(InboxFields.EVENT_ID, eventIds.stream().map(UUID::toString).toList()));
        return database.run(action + " dead letters", session -> {
            List<DeadLetter> found = letters.find(session, chosen)
                    .sort(ascending(
                            InboxFields.TOPIC, InboxFields.PARTITION, InboxFields.OFFSET, InboxFields.FAILED_AT))
                    .map(DeadLetterDocuments::letter)
                    .into(new ArrayList<>());
            List<UUID> ids = found.stream().map(DeadLetter::eventId).toList();
            if (!ids.isEmpty()) {
                change.make(session, found, ids);
                letters.deleteMany(session, chosen);
                audit.record(session, action, ids, decision, new Document(InboxFields.GROUP, group));
            }
            return ids;
        });
    }

    @Override
    public List<AuditEntry> history(String group, UUID eventId) {
        return audit.history(eventId, new Document(InboxFields.GROUP, group));
    }
}
