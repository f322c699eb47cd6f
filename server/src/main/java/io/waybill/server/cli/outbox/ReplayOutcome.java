package io.waybill.server.cli.outbox;

import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxView;
import io.waybill.server.cli.command.Output;
import io.waybill.server.cli.command.TerminalText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What became of a replayed event.
 *
 * @param detail why it failed, or why it waits
 */
record ReplayOutcome(UUID id, Kind kind, @Nullable String detail) {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final int SHOWN = 20;

    enum Kind {
        PUBLISHED,
        FAILED,
        PENDING
    }

    boolean failed() {
        return kind == Kind.FAILED;
    }

    /** Looks until all were published or have failed, for ten seconds at most; not at all when no relay runs. */
    static List<ReplayOutcome> await(OutboxView view, List<UUID> ids) {
        Map<UUID, ReplayOutcome> outcomes = new LinkedHashMap<>();
        List<UUID> open = new ArrayList<>(ids);
        boolean relay = ids.isEmpty() || view.status().liveRelays() > 0;
        long end = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            for (UUID id : List.copyOf(open)) {
                ReplayOutcome outcome = of(id, view.event(id), relay);
                outcomes.put(id, outcome);
                if (outcome.kind != Kind.PENDING) {
                    open.remove(id);
                }
            }
            if (open.isEmpty() || !relay || System.nanoTime() - end > 0 || !paused()) {
                return ids.stream().map(outcomes::get).toList();
            }
        }
    }

    private static boolean paused() {
        try {
            Thread.sleep(PAUSE.toMillis());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** An event that is there no more was published, where published events are deleted. */
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
                    id, Kind.FAILED, "It is retried at " + event.nextAttemptAt() + ": " + event.lastError());
        }
        return new ReplayOutcome(
                id,
                Kind.PENDING,
                event.state() == EventState.PARKED
                        ? "It waits for an earlier event of its key."
                        : relay ? "It waits for the relay." : "No relay is running. Start one with `waybill relay`.");
    }

    static void add(List<ReplayOutcome> outcomes, ObjectNode json) {
        var array = json.putArray("outcomes");
        for (ReplayOutcome one : outcomes) {
            array.addObject()
                    .put("id", one.id.toString())
                    .put("outcome", one.kind.name().toLowerCase(Locale.ROOT))
                    .put("detail", one.detail);
        }
    }

    static void print(List<ReplayOutcome> outcomes, Output output) {
        long published = count(outcomes, Kind.PUBLISHED);
        if (published > 0) {
            output.line(published + " published.");
        }
        long failed = count(outcomes, Kind.FAILED);
        outcomes.stream()
                .filter(ReplayOutcome::failed)
                .limit(SHOWN)
                .forEach(one -> output.line(one.id + " failed again. " + TerminalText.escape(String.valueOf(one.detail))));
        if (failed > SHOWN) {
            output.line((failed - SHOWN) + " more failed again; see `waybill dead-letters list`.");
        }
        long pending = count(outcomes, Kind.PENDING);
        if (pending > 0) {
            String why = outcomes.stream()
                    .filter(one -> one.kind == Kind.PENDING)
                    .map(one -> String.valueOf(one.detail))
                    .findFirst()
                    .orElse("");
            output.line(pending + " still pending. " + why);
        }
    }

    private static long count(List<ReplayOutcome> outcomes, Kind kind) {
        return outcomes.stream().filter(one -> one.kind == kind).count();
    }
}
