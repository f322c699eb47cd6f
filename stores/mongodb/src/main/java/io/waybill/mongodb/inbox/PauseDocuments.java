package io.waybill.mongodb.inbox;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.lte;
import static com.mongodb.client.model.Filters.or;
import static com.mongodb.client.model.Updates.combine;
import static com.mongodb.client.model.Updates.set;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateOptions;
import io.waybill.mongodb.internal.db.Collections;
import io.waybill.mongodb.internal.db.MongoTransactions;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bson.Document;

/** The paused consumers; {@link MongoInboxView} reads them. */
final class PauseDocuments {
    private final MongoTransactions database;
    private final MongoCollection<Document> pauses;

    PauseDocuments(MongoTransactions database) {
        this.database = database;
        this.pauses = database.collection(Collections.PAUSES);
    }

    void show(String group, String consumer, Duration lasts, String reason, Duration valid) {
        Instant now = database.now();
        database.call(
                "show the pause of group " + group,
                () -> pauses.updateOne(
                        and(eq(InboxFields.GROUP, group), eq(InboxFields.CONSUMER, consumer)),
                        combine(
                                set(InboxFields.PAUSED_SINCE, Date.from(now.minus(lasts))),
                                set(InboxFields.REASON, reason),
                                set(InboxFields.EXPIRES_AT, Date.from(now.plus(valid)))),
                        new UpdateOptions().upsert(true)));
    }

    /** Also removes the documents of consumers that crashed while they were paused. */
    void end(String group, String consumer) {
        Date now = Date.from(database.now());
        database.call(
                "end the pause of group " + group,
                () -> pauses.deleteMany(and(
                        eq(InboxFields.GROUP, group),
                        or(eq(InboxFields.CONSUMER, consumer), lte(InboxFields.EXPIRES_AT, now)))));
    }
}
