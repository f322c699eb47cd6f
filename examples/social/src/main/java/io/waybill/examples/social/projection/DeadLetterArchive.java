package io.waybill.examples.social.projection;

import com.mongodb.client.MongoDatabase;
import java.util.List;
import org.bson.Document;

/** {@code dlq_events}: the dead letters of all groups, one row for each event and group. */
final class DeadLetterArchive extends Projection {
    static final String MODEL = "dlq_events";

    DeadLetterArchive(MongoDatabase database, List<String> topics) {
        this(topics, new ReadModel(database, MODEL, "dead_letter_id", row -> row));
    }

    private DeadLetterArchive(List<String> topics, ReadModel letters) {
        super("dlq-handler", "sc-dlq-handler", topics, letters);
        on(DeadLetterTopic.EVENT_TYPE, (session, event) -> {
            Document letter = event.texts("eventId", "errorMessage", "failedAt", "consumerService");
            letters.change(
                    session,
                    letter.getString("eventId") + " " + letter.getString("consumerService"),
                    row -> row.append("event_id", letter.get("eventId"))
                            .append("consumer_group", letter.get("consumerService"))
                            .append("error", letter.get("errorMessage"))
                            .append("failed_at", letter.get("failedAt"))
                            .append("original", event.json("originalEvent")));
        });
    }

    @Override
    boolean ordered() {
        return false;
    }

    /** A dead letter that cannot be stored must not come back to the same topics. */
    @Override
    String deadLetterTopic() {
        return "";
    }
}
