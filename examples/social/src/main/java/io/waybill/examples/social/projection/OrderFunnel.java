package io.waybill.examples.social.projection;

import static io.waybill.examples.social.source.Catalogue.ORDER;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import io.waybill.examples.social.source.Catalogue;
import java.time.ZoneOffset;
import java.util.List;
import org.bson.Document;

/** {@code order_funnel_daily}: for each day in UTC, how many orders reached which step, and the rates between the steps. */
final class OrderFunnel extends Projection {
    static final String MODEL = "order_funnel_daily";
    private static final List<String> STEPS = List.of(
            "created",
            "payment_initiated",
            "payment_succeeded",
            "payment_failed",
            "confirmed",
            "cancelled",
            "completed");

    private final ReadModel days;

    OrderFunnel(MongoDatabase database) {
        this(new ReadModel(database, MODEL, "day", OrderFunnel::blank));
    }

    private OrderFunnel(ReadModel days) {
        super("order-funnel", "sc-analytics-order-funnel", List.of(Catalogue.topic(ORDER)), days);
        this.days = days;
        for (String step : STEPS.subList(0, STEPS.size() - 1)) {
            on(ORDER + "." + step, (session, event) -> count(session, event, step));
        }
        on("order.status_changed", (session, event) -> {
            if (event.text("new_status").equals("COMPLETED")) {
                count(session, event, "completed");
            }
        });
    }

    private static Document blank(Document day) {
        STEPS.forEach(step -> day.put(step, 0L));
        return day;
    }

    private void count(ClientSession session, EventData event, String step) {
        String day = event.occurredAt().atZone(ZoneOffset.UTC).toLocalDate().toString();
        days.change(session, day, row -> {
            row.put(step, row.getLong(step) + 1);
            long payments = row.getLong("payment_succeeded") + row.getLong("payment_failed");
            row.append("payment_success_rate", rate(row.getLong("payment_succeeded"), payments))
                    .append("confirmation_rate", rate(row.getLong("confirmed"), row.getLong("created")))
                    .append("completion_rate", rate(row.getLong("completed"), row.getLong("created")));
        });
    }

    private static double rate(long part, long all) {
        return all == 0 ? 0 : (double) part / all;
    }

    @Override
    boolean ordered() {
        return false;
    }

    @Override
    String deadLetterTopic() {
        return "sc.dlq.analytics-general";
    }
}
