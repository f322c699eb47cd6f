package io.waybill.acceptance.matrix;

import static org.awaitility.Awaitility.await;

import io.waybill.acceptance.Scenario;
import io.waybill.admin.EventState;
import io.waybill.faults.history.Append;
import io.waybill.faults.history.History;
import io.waybill.faults.history.Ledger;
import io.waybill.faults.history.Written;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Three events of one key in one transaction. The second one cannot be delivered. */
record UndeliverableEvents(Scenario scenario, UUID dead, UUID behind) {
    /** Larger than the limit of every broker. Random, so that compression does not help. */
    private static final int TOO_LARGE = 1_200_000;

    private static final Duration PATIENCE = Duration.ofMinutes(4);

    /** An event that is too large for the broker. */
    static UndeliverableEvents oversized(Scenario scenario, History history, String key) {
        return write(scenario, history, Written.of(scenario.topic(), key, 2, "x".repeat(TOO_LARGE), Map.of()));
    }

    /** An event whose topic does not exist until an operator creates it or corrects the topic of the event. */
    static UndeliverableEvents refused(Scenario scenario, History history, String key) {
        return write(scenario, history, Written.of("refused-" + UUID.randomUUID(), key, 2, "refused", Map.of()));
    }

    private static UndeliverableEvents write(Scenario scenario, History history, Written poison) {
        String key = poison.key();
        Written first = Written.of(scenario.topic(), key, 1, "first", Map.of());
        Written last = Written.of(scenario.topic(), key, 3, "last", Map.of());
        List<Written> events = List.of(first, poison, last);
        Append append = Append.plainSql(); // the library would reject it
        try (Connection connection = DriverManager.getConnection(scenario.jdbcUrl())) {
            connection.setAutoCommit(false);
            Ledger.lock(connection, key);
            for (Written event : events) {
                history.invoke(event);
                append.append(connection, event, Instant.now());
            }
            Ledger.record(connection, events);
            connection.commit();
            history.tell(events, History.Result.OK);
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot write events of key " + key, e);
        }
        return new UndeliverableEvents(scenario, poison.id(), last.id());
    }

    void awaitDead() {
        awaitState(dead, EventState.DEAD_LETTER);
    }

    void awaitBehindPublished() {
        awaitState(behind, EventState.PUBLISHED);
    }

    void awaitError(String part) {
        await("event " + dead + " says why it waits")
                .atMost(PATIENCE)
                .until(() -> String.valueOf(
                                scenario.view().event(dead).orElseThrow().lastError())
                        .contains(part));
    }

    void redirect(String topic) {
        scenario.execute("UPDATE outbox_events SET topic = '" + topic + "' WHERE id = '" + dead + "'");
    }

    EventState stateBehind() {
        return state(behind);
    }

    private void awaitState(UUID id, EventState state) {
        await("event " + id + " is " + state).atMost(PATIENCE).until(() -> state(id) == state);
    }

    private EventState state(UUID id) {
        return scenario.view().event(id).orElseThrow().state();
    }
}
