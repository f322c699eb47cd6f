package io.waybill.relay;

import io.waybill.store.Claimed;
import io.waybill.store.Outcome;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes one claimed batch and says what became of each event.
 *
 * <p>Keys go side by side; within a key, the next event is handed to the transport only when the one before it was
 * acknowledged. (An idempotent producer is no substitute: a record that fails on its own is passed by its successors.) Once
 * an event is given up on, the rest of its key waits until that is recorded: a relay that sent a successor and died before
 * settling would leave the event to another relay, which might succeed with it after all, out of order. Transport threads only put results into a queue; one thread, the lane's worker, decides and sends, so a
 * transport callback never blocks on a send of its own.
 */
final class Batch {
    /** Transports answer within their own limit; this guards against one that does not. */
    private static final Duration SILENCE_LIMIT = Duration.ofMinutes(2);

    private final Transport transport;
    private final RelaySettings settings;
    private final Breaker breaker;
    private final BooleanSupplier mayGoOn;
    private final Map<String, Queue<Claimed>> waiting = new LinkedHashMap<>();
    private final Map<Long, Claimed> inFlight = new HashMap<>();
    private final BlockingQueue<Result> results = new LinkedBlockingQueue<>();
    private final List<Outcome> outcomes;
    private final List<Result> outages = new ArrayList<>();
    private final long claimedAt = System.nanoTime();

    private record Result(Claimed claimed, @Nullable Failure failure) {}

    Batch(List<Claimed> claims, Transport transport, RelaySettings settings, Breaker breaker, BooleanSupplier mayGoOn) {
        this.transport = transport;
        this.settings = settings;
        this.breaker = breaker;
        this.mayGoOn = mayGoOn;
        this.outcomes = new ArrayList<>(claims.size());
        for (Claimed claimed : claims) {
            waiting.computeIfAbsent(claimed.event().key(), key -> new ArrayDeque<>(2))
                    .add(claimed);
        }
    }

    List<Outcome> publish() {
        for (Queue<Claimed> key : waiting.values()) {
            sendNext(key);
        }
        while (!inFlight.isEmpty()) {
            Result result = nextResult();
            if (result == null) {
                inFlight.values()
                        .forEach(claimed -> outages.add(new Result(
                                claimed,
                                Failure.outage("The transport did not answer within " + SILENCE_LIMIT + "."))));
                break;
            }
            if (inFlight.remove(result.claimed().position()) != null) {
                take(result);
            }
        }
        settleOutages();
        waiting.values().forEach(rest -> rest.forEach(claimed -> outcomes.add(new Outcome.Released(claimed))));
        return outcomes;
    }

    private @Nullable Result nextResult() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return results.poll(SILENCE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    interrupted = true; // what is in flight must be known before the lane is left
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void sendNext(Queue<Claimed> key) {
        while (!key.isEmpty() && outages.isEmpty() && mayGoOn.getAsBoolean()) {
            Claimed claimed = key.remove();
            if (settings.retry().deadly(claimed.retryCount())) {
                giveUp(claimed, "Its relays ended while they held it, " + claimed.retryCount() + " times.");
                continue;
            }
            Message message;
            try {
                message = settings.envelope().seal(claimed.event());
            } catch (RuntimeException e) {
                giveUp(claimed, "It cannot be put into its envelope: " + e.getMessage());
                continue;
            }
            inFlight.put(claimed.position(), claimed);
            transport.send(message, new Delivery() {
                @Override
                public void acknowledged() {
                    results.add(new Result(claimed, null));
                }

                @Override
                public void failed(Failure failure) {
                    results.add(new Result(claimed, failure));
                }
            });
            return;
        }
    }

    private void take(Result result) {
        Claimed claimed = result.claimed();
        Failure failure = result.failure();
        if (failure == null) {
            outcomes.add(new Outcome.Published(claimed));
            Duration latency = claimed.age().plusNanos(System.nanoTime() - claimedAt);
            settings.listener().published(claimed.event(), latency);
        } else {
            settings.listener().failed(claimed.event(), failure);
            switch (failure.kind()) {
                case OUTAGE -> outages.add(result);
                case PERMANENT -> giveUp(claimed, failure.reason());
                case TRANSIENT -> retry(claimed, failure.reason());
            }
        }
        Queue<Claimed> key = waiting.get(claimed.event().key());
        if (key != null) {
            sendNext(key);
        }
    }

    private void retry(Claimed claimed, String reason) {
        int failures = claimed.retryCount() + 1;
        if (settings.retry().exhausted(failures)) {
            giveUp(claimed, reason);
        } else {
            outcomes.add(new Outcome.Retry(claimed, settings.retry().delay(failures), reason, true));
            parkRest(claimed);
        }
    }

    private void giveUp(Claimed claimed, String reason) {
        boolean blocks = settings.onDeadLetter() == OnDeadLetter.BLOCK;
        outcomes.add(new Outcome.Dead(claimed, reason, blocks));
        settings.listener().deadLettered(claimed.event(), reason);
        if (blocks) {
            parkRest(claimed);
        } else {
            releaseRest(claimed);
        }
    }

    private void parkRest(Claimed failed) {
        Queue<Claimed> rest = waiting.get(failed.event().key());
        while (rest != null && !rest.isEmpty()) {
            outcomes.add(new Outcome.Parked(rest.remove()));
        }
    }

    private void releaseRest(Claimed dead) {
        Queue<Claimed> rest = waiting.get(dead.event().key());
        while (rest != null && !rest.isEmpty()) {
            outcomes.add(new Outcome.Released(rest.remove()));
        }
    }

    /**
     * When the broker is really out, its events go back as they were. When it answers, only some topic or partition is out:
     * those keys step aside, uncounted, and the others go on.
     */
    private void settleOutages() {
        if (outages.isEmpty()) {
            return;
        }
        Failure first = outages.get(0).failure();
        boolean out = breaker.suspect(first == null ? "no reason given" : first.reason());
        for (Result outage : outages) {
            Claimed claimed = outage.claimed();
            if (out || outage.failure() == null) {
                outcomes.add(new Outcome.Released(claimed));
            } else {
                Duration delay = settings.retry().delay(claimed.retryCount() + 3);
                outcomes.add(new Outcome.Retry(claimed, delay, outage.failure().reason(), false));
                parkRest(claimed);
            }
        }
    }
}
