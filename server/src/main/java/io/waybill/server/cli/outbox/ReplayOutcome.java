package io.waybill.server.cli.outbox;

import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxView;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * What happened to one replayed event.
 *
 * @param detail why the event failed, or why it is still pending; null when it was published
 */
record ReplayOutcome(UUID id, Kind kind, @Nullable String detail) {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(200);

    enum Kind {
        PUBLISHED,
        FAILED,
        PENDING
    }

    /** Polls until every event was published or has failed, for up to ten seconds. Returns at once when no relay is live. */
    static List<ReplayOutcome> await(OutboxView view, List<UUID> ids, Ticker ticker) {
        Map<UUID, ReplayOutcome> outcomes = new LinkedHashMap<>();
        List<UUID> open = new ArrayList<>(ids);
        boolean relay = view.status().liveRelays() > 0;
        long end = ticker.nanos() + LIMIT.toNanos();
        while (true) {
            for (UUID id : List.copyOf(open)) {
                ReplayOutcome outcome = of(id, view.event(id), relay);
                outcomes.put(id, outcome);
                if (outcome.kind != Kind.PENDING) {
                    open.remove(id);
                }
            }
            if (open.isEmpty() || !relay || ticker.nanos() - end > 0 || !pause(ticker)) {
                return ids.stream().map(outcomes::get).toList();
            }
        }
    }

    /** Returns false if the thread was interrupted. */
    private static boolean pause(Ticker ticker) {
        try {
            return !ticker.acquire(new Semaphore(0), PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** An event whose row is gone was published: the queue engine can delete published events at once. */
    private static ReplayOutcome of(UUID id, Optional<EventRecord> found, boolean relay) {
        if (found.isEmpty() || found.get().state() == EventState.PUBLISHED) {
            return new ReplayOutcome(id, Kind.PUBLISHED, null);
        }
        EventRecord event = found.get();
        if (event.state() == EventState.DEAD_LETTER) {
            return new ReplayOutcome(id, Kind.FAILED, "It is a dead letter again: " + event.lastError());
        }
        if (event.retryCount() > 0 && event.nextAttemptAt() != null) {
            return new ReplayOutcome(
                    id, Kind.FAILED, "The next attempt is at " + event.nextAttemptAt() + ": " + event.lastError());
        }
        return new ReplayOutcome(
                id,
                Kind.PENDING,
                event.state() == EventState.PARKED
                        ? "An earlier event of the same key has not been published."
                        : relay
                                ? "The relay has not attempted it yet."
                                : "No relay is running. Start one with `waybill relay`.");
    }
}
