package io.waybill.relay;

import io.waybill.admin.OutboxPause;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.PublishOutcome;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the events of one claim, from one lane or several, and produces the outcome of each event.
 *
 * <p>Different keys are sent in parallel. Within a key, the next events are passed to the transport only after the earlier events
 * were acknowledged, or together with the earlier events if the transport preserves their order ({@link Transport#sendInOrder}).
 * After an event became a dead letter, later events of its key are not sent until the dead letter is recorded. Otherwise a relay
 * could send a later event and crash before it settles the batch; another relay would then claim the first event again and might
 * publish it after the later one.
 *
 * <p>Transport threads only add results to a queue. One thread, the worker of the lanes, evaluates them and sends, so that a
 * transport callback never blocks on a send of its own.
 */
final class Batch {
    /** Longest wait for a result, in case a transport does not report a result within its own time limit. */
    private static final Duration RESPONSE_TIMEOUT = Duration.ofMinutes(2);

    /** Time after which a paused event is claimed again, about. */
    private static final Duration HOLD = Duration.ofMinutes(1);

    private final Transport transport;
    private final RelaySettings settings;
    private final CircuitBreaker breaker;
    private final Destinations destinations;
    private final Pauses pauses;
    private final List<KeyPipeline> pipelines = new ArrayList<>();
    private final BlockingQueue<Sent> results = new LinkedBlockingQueue<>();
    private final List<Sent> received = new ArrayList<>();
    private final long claimedAt;
    private int size;
    private int inFlight;
    private @Nullable Failure outage;

    /** @param pauses the pauses at the start of the batch */
    Batch(
            Transport transport,
            RelaySettings settings,
            CircuitBreaker breaker,
            Destinations destinations,
            Pauses pauses) {
        this.transport = transport;
        this.settings = settings;
        this.breaker = breaker;
        this.destinations = destinations;
        this.pauses = pauses;
        this.claimedAt = settings.ticker().nanos();
    }

    /**
     * Adds the claimed events of one lane.
     *
     * @param canSend whether further events of the lane may be sent
     * @return the outcomes of the lane, which {@link #publish} fills in
     */
    List<PublishOutcome> add(List<ClaimedEvent> claims, BooleanSupplier canSend) {
        List<PublishOutcome> outcomes = new ArrayList<>(claims.size());
        Map<String, KeyPipeline> keys = new LinkedHashMap<>();
        for (ClaimedEvent claimed : claims) {
            keys.computeIfAbsent(claimed.event().key(), key -> new KeyPipeline(canSend, outcomes))
                    .add(claimed);
        }
        pipelines.addAll(keys.values());
        size += claims.size();
        return outcomes;
    }

    int size() {
        return size;
    }

    void publish() {
        pipelines.forEach(this::send);
        // A full batch needs no flush: the messages of the next batch follow at once and fill the buffered requests,
        // which makes the requests cheaper.
        if (size < settings.batchSize()) {
            transport.flushSoon();
        }
        while (inFlight > 0) {
            Sent result = awaitResult();
            if (result == null) {
                Failure timeout = Failure.outage("The transport reported no result within " + RESPONSE_TIMEOUT + ".");
                outage = timeout;
                pipelines.forEach(pipeline -> pipeline.timeOut(timeout.reason()));
                break;
            }
            received.add(result);
            // Results come in bursts, and transport threads contend for the lock of the queue.
            results.drainTo(received);
            long sinceClaim = settings.ticker().nanos() - claimedAt;
            for (Sent sent : received) {
                boolean first = sent.pipeline.isFirstInFlight(sent.claimed);
                if (sent.pipeline.completed(sent.claimed)) {
                    inFlight--;
                    handle(sent, first, sinceClaim);
                }
            }
            received.clear();
        }
        boolean brokerIsDown = outage != null && breaker.confirmOutage(outage.reason());
        for (KeyPipeline pipeline : pipelines) {
            pipeline.settleRemaining(brokerIsDown, settings.retry());
        }
    }

    private @Nullable Sent awaitResult() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return settings.ticker().poll(results, RESPONSE_TIMEOUT);
                } catch (InterruptedException e) {
                    // Waits on: the worker must know the results of all events in flight before it returns the lane.
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void send(KeyPipeline pipeline) {
        if (outage != null || !pipeline.canSend()) {
            return;
        }
        List<ClaimedEvent> next = pipeline.next();
        List<Message> messages = new ArrayList<>(next.size());
        for (ClaimedEvent claimed : next) {
            OutboxPause pause = pauses.of(claimed.event());
            if (pause != null && messages.isEmpty()) {
                hold(pipeline, pipeline.remove(), pause);
                return;
            }
            if (pause != null) {
                break; // it is held after the events before it are acknowledged
            }
            String reason = seal(claimed, messages);
            if (reason != null && messages.isEmpty()) {
                PublishOutcome dead = deadLetter(pipeline, pipeline.remove(), reason);
                settings.listener().attempted(dead, null, Duration.ZERO);
                return;
            }
            if (reason != null) {
                break; // it is handled after the events before it are acknowledged
            }
        }
        List<Delivery> deliveries = new ArrayList<>(messages.size());
        long sentAt = settings.ticker().nanos();
        for (int i = 0; i < messages.size(); i++) {
            deliveries.add(new Sent(pipeline, next.get(i), sentAt));
        }
        pipeline.sending(messages.size());
        inFlight += messages.size();
        int accepted = transport.sendInOrder(messages, deliveries);
        inFlight -= pipeline.requeueLast(messages.size() - accepted);
    }

    /** @return why the event cannot be sent; null when it was added to the messages */
    private @Nullable String seal(ClaimedEvent claimed, List<Message> messages) {
        if (CrashLimit.reached(maxAttempts(claimed), claimed.retryCount())) {
            return "The relay crashed " + claimed.retryCount() + " times while sending this event.";
        }
        try {
            messages.add(settings.envelope().seal(claimed.event()));
            return null;
        } catch (RuntimeException e) {
            return "The event cannot be wrapped in its envelope: " + e.getMessage();
        }
    }

    private void handle(Sent sent, boolean first, long sinceClaim) {
        KeyPipeline pipeline = sent.pipeline;
        ClaimedEvent claimed = sent.claimed;
        Failure failure = sent.failure;
        PublishOutcome outcome;
        if (failure == null) {
            outcome = new PublishOutcome.Published(claimed);
            pipeline.addOutcome(outcome);
            destinations.accepted(claimed.event().destination());
            settings.listener().published(claimed.event(), claimed.age().plusNanos(sinceClaim));
        } else if (failure.kind() == Failure.Kind.ABANDONED || pipeline.stopped() || !first) {
            pipeline.resendAlone(claimed);
            outcome = new PublishOutcome.Released(claimed);
        } else {
            settings.listener().failed(claimed.event(), failure);
            outcome = switch (failure.kind()) {
                case PERMANENT -> deadLetter(pipeline, claimed, failure.reason());
                case TRANSIENT -> retry(pipeline, claimed, failure.reason());
                case DESTINATION -> retryDestination(pipeline, claimed, failure.reason());
                default -> {
                    outage = outage == null ? failure : outage;
                    pipeline.stopForOutage(claimed, failure.reason());
                    yield new PublishOutcome.Released(claimed);
                }
            };
        }
        settings.listener().attempted(outcome, failure, Duration.ofNanos(claimedAt + sinceClaim - sent.sentAt));
        send(pipeline);
    }

    private PublishOutcome retry(KeyPipeline pipeline, ClaimedEvent claimed, String reason) {
        int failures = claimed.retryCount() + 1;
        if (failures >= maxAttempts(claimed)) {
            return deadLetter(pipeline, claimed, reason);
        }
        return retry(
                pipeline, new PublishOutcome.Retry(claimed, settings.retry().delay(failures), reason, true));
    }

    private int maxAttempts(ClaimedEvent claimed) {
        return claimed.event().maxAttempts().orElse(settings.retry().maxAttempts());
    }

    private PublishOutcome retryDestination(KeyPipeline pipeline, ClaimedEvent claimed, String reason) {
        Duration pause = destinations.refused(claimed.event().destination(), reason);
        return retry(pipeline, new PublishOutcome.Retry(claimed, pause, reason, false));
    }

    /** The delay matters only if the end of the pause is missed: events are made due when their pause ends. */
    private static void hold(KeyPipeline pipeline, ClaimedEvent claimed, OutboxPause pause) {
        Duration delay = Duration.ofNanos((long)
                (HOLD.toNanos() * (0.8 + 0.4 * ThreadLocalRandom.current().nextDouble())));
        retry(pipeline, new PublishOutcome.Retry(claimed, delay, pause.heldReason(), false));
    }

    private static PublishOutcome retry(KeyPipeline pipeline, PublishOutcome.Retry retry) {
        pipeline.addOutcome(retry);
        pipeline.stop(KeyPipeline.Stop.PARK);
        return retry;
    }

    private PublishOutcome deadLetter(KeyPipeline pipeline, ClaimedEvent claimed, String reason) {
        boolean blocks = settings.onDeadLetter() == OnDeadLetter.BLOCK;
        PublishOutcome dead = new PublishOutcome.Dead(claimed, reason, blocks);
        pipeline.addOutcome(dead);
        settings.listener().deadLettered(claimed.event(), reason);
        pipeline.stop(blocks ? KeyPipeline.Stop.PARK : KeyPipeline.Stop.RELEASE);
        return dead;
    }

    /** An event in flight, and later its result. */
    private final class Sent implements Delivery {
        private final KeyPipeline pipeline;
        private final ClaimedEvent claimed;
        private final long sentAt;
        private @Nullable Failure failure;

        Sent(KeyPipeline pipeline, ClaimedEvent claimed, long sentAt) {
            this.pipeline = pipeline;
            this.claimed = claimed;
            this.sentAt = sentAt;
        }

        @Override
        public void acknowledged() {
            results.add(this);
        }

        @Override
        public void failed(Failure why) {
            failure = why;
            results.add(this);
        }
    }
}
