package io.waybill.jdbc;

import io.waybill.Event;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxView;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.PublishOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** An outbox with events in every state. The key of an event names its state. */
final class EveryState {
    /** The payloads of each key, in the order in which they must be published when the outbox is drained. */
    static final Map<String, List<String>> TO_COME = new TreeMap<>(Map.of(
            "crashed", List.of("1", "2"),
            "fresh", List.of("1", "2", "3"),
            "replayed", List.of("1", "2"),
            "retry", List.of("1", "2", "3", "4"),
            "taken", List.of("1", "2")));

    private static final DeadLetters.Decision DECISION = new DeadLetters.Decision("ann", "agreed");

    private final PostgresBackend backend;

    EveryState(PostgresBackend backend) {
        this.backend = backend;
    }

    /** Leaves a relay that has claimed the events of the key "taken", in a separate lane. */
    ManualRelay fill() {
        append("done", 1, 2);
        append("retry", 1, 2, 3);
        append("later", 1, 2);
        append("dead", 1, 2);
        append("block", 1, 2);
        append("gone", 1);
        append("replayed", 1, 2);
        ManualRelay first = new ManualRelay(backend.store(), "first");
        first.claim(100);
        first.settle(EveryState::fate);
        backend.store().leave("first");

        append("crashed", 1, 2);
        new ManualRelay(backend.store(), "doomed").claim(100);
        backend.age(ManualRelay.LEASE);
        ManualRelay old = new ManualRelay(backend.store(), "old");

        backend.deadLetters().discard(ids("gone"), DECISION);
        backend.deadLetters().replay(ids("replayed"), DECISION);
        append("retry", 4);
        append("taken", 1, 2);
        old.claimIn(2, 100);
        append("fresh", 1, 2, 3);
        return old;
    }

    private static PublishOutcome fate(ClaimedEvent claimed) {
        boolean first = claimed.event().payload().equals("1");
        return switch (claimed.event().key()) {
            case "retry" ->
                first
                        ? new PublishOutcome.Retry(claimed, Duration.ofMinutes(2), "no", true)
                        : new PublishOutcome.Parked(claimed);
            case "later" ->
                first
                        ? new PublishOutcome.Retry(claimed, Duration.ofHours(1), "not yet", true)
                        : new PublishOutcome.Parked(claimed);
            case "dead" ->
                first ? new PublishOutcome.Dead(claimed, "never", false) : new PublishOutcome.Published(claimed);
            case "block" ->
                first ? new PublishOutcome.Dead(claimed, "never", true) : new PublishOutcome.Parked(claimed);
            case "gone", "replayed" -> new PublishOutcome.Dead(claimed, "never", false);
            default -> new PublishOutcome.Published(claimed);
        };
    }

    void append(String key, int... numbers) {
        for (int number : numbers) {
            try (var writer = backend.begin()) {
                writer.append(Event.of("order.placed", "Order", key, Integer.toString(number)));
                writer.commit();
            }
        }
    }

    private List<UUID> ids(String key) {
        return backend.query("SELECT id FROM outbox_events WHERE aggregate_id = '" + key + "' ORDER BY seq")
                .lines()
                .map(UUID::fromString)
                .toList();
    }

    /** Makes the retry of the key "retry" due now. */
    void makeRetryDue(Engine engine) {
        backend.execute("UPDATE " + (engine == Engine.JOURNAL ? "outbox_held" : "outbox_events")
                + " SET next_attempt_at = now() WHERE aggregate_id = 'retry' AND next_attempt_at < 'infinity'");
    }

    List<UUID> discard(DeadLetters deadLetters, String key) {
        return deadLetters.discard(ids(key), DECISION);
    }

    /** Returns each event as operators see it: key and number, state, failures, error. The journal does not record failures of published events. */
    static Map<String, String> seen(OutboxView view) {
        Map<String, String> seen = new TreeMap<>();
        for (EventRecord row : view.events(EventFilter.ALL, 1_000)) {
            seen.put(
                    row.event().key() + row.event().payload(),
                    row.state() == EventState.PUBLISHED
                            ? "PUBLISHED"
                            : row.state() + " " + row.retryCount() + " " + row.lastError());
        }
        return seen;
    }
}
