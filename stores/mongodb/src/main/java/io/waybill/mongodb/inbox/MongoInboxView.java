package io.waybill.mongodb.inbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.ne;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Sorts.descending;

import com.mongodb.client.MongoCollection;
import io.waybill.inbox.InboxStatus;
import io.waybill.inbox.InboxView;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.TreeSet;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/** Reads the status of consumer groups. */
final class MongoInboxView implements InboxView {
    private final MongoTransactions database;

    MongoInboxView(MongoTransactions database) {
        this.database = database;
    }

    @Override
    public List<InboxStatus> status() {
        Instant now = database.now();
        return database.call("read the inbox's status", () -> {
            TreeSet<String> groups = new TreeSet<>();
            for (String collection : List.of(Collections.PROCESSED, Collections.HELD, Collections.DEAD_LETTERS)) {
                database.collection(collection)
                        .distinct(InboxFields.GROUP, String.class)
                        .into(groups);
            }
            database.collection(Collections.PAUSES)
                    .distinct(InboxFields.GROUP, valid(now), String.class)
                    .into(groups);
            return groups.stream().map(group -> read(group, now)).toList();
        });
    }

    @Override
    public InboxStatus status(String group) {
        Instant now = database.now();
        return database.call("read the inbox's status", () -> read(group, now));
    }

    private static Bson valid(Instant now) {
        return gt(InboxFields.EXPIRES_AT, Date.from(now));
    }

    private InboxStatus read(String group, Instant now) {
        Bson ofGroup = eq(InboxFields.GROUP, group);
        MongoCollection<Document> held = database.collection(Collections.HELD);
        long retrying = held.countDocuments(and(ofGroup, eq(InboxFields.STATE, InboxFields.RETRY)));
        Instant oldest = time(
                held.find(ofGroup).sort(ascending(InboxFields.HELD_AT)).limit(1).first(), InboxFields.HELD_AT);
        Document last = database.collection(Collections.PROCESSED)
                .find(and(ofGroup, ne(InboxFields.OUTCOME, ProcessedMarks.DEAD_LETTERED)))
                .sort(descending(InboxFields.PROCESSED_AT))
                .limit(1)
                .first();
        List<Document> pauses = database.collection(Collections.PAUSES)
                .find(and(ofGroup, valid(now)))
                .sort(ascending(InboxFields.PAUSED_SINCE))
                .into(new ArrayList<>());
        Document longest = pauses.isEmpty() ? null : pauses.get(0);
        return new InboxStatus(
                group,
                retrying,
                held.countDocuments(ofGroup) - retrying,
                database.collection(Collections.DEAD_LETTERS).countDocuments(ofGroup),
                oldest == null || oldest.isAfter(now) ? Duration.ZERO : Duration.between(oldest, now),
                time(last, InboxFields.PROCESSED_AT),
                pauses.size(),
                time(longest, InboxFields.PAUSED_SINCE),
                longest == null ? null : longest.getString(InboxFields.REASON));
    }

    private static @Nullable Instant time(@Nullable Document document, String field) {
        return document == null ? null : document.getDate(field).toInstant();
    }
}
