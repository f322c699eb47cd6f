package io.waybill.relay;

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
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes what was claimed together, in one lane or in several, and says what became of each event.
 *
 * <p>Keys go side by side. Within a key, the next events are handed to the transport only when those before them were
 * acknowledged, or together with them as far as the transport keeps them in line ({@link Transport#sendInOrder}). Once an event
 * is given up on, the rest of its key waits until that is recorded: a relay that sent a successor and died before
 * settling would leave the event to another relay, which might succeed with it after all, out of order.
 *
 * <p>Transport threads only put results into a queue; one thread, the lanes' worker, decides and sends, so a transport
 * callback never blocks on a send of its own.
 */
final class Batch {
    /** Transports answer within their own limit; this guards against one that does not. */
    private static final Duration SILENCE_LIMIT = Duration.ofMinutes(2);

    private final Transport transport;
    private final RelaySettings settings;
    private final CircuitBreaker breaker;
    private final Destinations destinations;
    private final List<KeyPipeline> lines = new ArrayList<>();
    private final BlockingQueue<Sent> results = new LinkedBlockingQueue<>();
    private final List<Sent> arrived = new ArrayList<>();
    private final long claimedAt;
    private int size;
    private int inFlight;
    private @Nullable Failure outage;

    Batch(Transport transport, RelaySettings settings, CircuitBreaker breaker, Destinations destinations) {
        this.transport = transport;
        this.settings = settings;
        this.breaker = breaker;
        this.destinations = destinations;
        this.claimedAt = settings.ticker().nanos();
    }

    /**
     * Adds what was claimed in one lane.
     *
     * @param mayGoOn whether more of the lane may be sent
     * @return what became of each event, when the batch is published
     */
    List<PublishOutcome> add(List<ClaimedEvent> claims, BooleanSupplier mayGoOn) {
        List<PublishOutcome> outcomes = new ArrayList<>(claims.size());
        Map<String, KeyPipeline> keys = new LinkedHashMap<>();
        for (ClaimedEvent claimed : claims) {
            keys.computeIfAbsent(claimed.event().key(), key -> new KeyPipeline(mayGoOn, outcomes))
                    .add(claimed);
        }
        lines.addAll(keys.values());
        size += claims.size();
        return outcomes;
    }

    int size() {
        return size;
    }

    void publish() {
        lines.forEach(this::send);
        if (size < settings.batchSize()) { // else more follows at once, and full requests save work
            transport.flushSoon();
        }
        while (inFlight > 0) {
            Sent first = nextResult();
            if (first == null) {
                Failure silence = Failure.outage("The transport did not answer within " + SILENCE_LIMIT + ".");
                outage = silence;
                lines.forEach(line -> line.giveUpWaiting(silence.reason()));
                break;
            }
            arrived.add(first);
            results.drainTo(arrived); // answers come in flocks, and the queue's lock is the transport's too
            long sinceClaim = settings.ticker().nanos() - claimedAt;
            for (Sent sent : arrived) {
                boolean leads = sent.line.leads(sent.claimed);
                if (sent.line.arrived(sent.claimed)) {
                    inFlight--;
                    take(sent, leads, sinceClaim);
                }
            }
            arrived.clear();
        }
        boolean out = outage != null && breaker.suspect(outage.reason());
        for (KeyPipeline line : lines) {
            line.end(out, settings.retry());
        }
    }

    private @Nullable Sent nextResult() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return settings.ticker().poll(results, SILENCE_LIMIT);
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

    private void send(KeyPipeline line) {
        if (outage != null || !line.mayGoOn()) {
            return;
        }
        List<ClaimedEvent> next = line.next();
        List<Message> messages = new ArrayList<>(next.size());
        for (ClaimedEvent claimed : next) {
            String reason = seal(claimed, messages);
            if (reason != null && messages.isEmpty()) {
                giveUp(line, line.remove(), reason);
                return;
            }
            if (reason != null) {
                break; // its turn comes when those before it are through
            }
        }
        List<Delivery> deliveries = new ArrayList<>(messages.size());
        for (int i = 0; i < messages.size(); i++) {
            deliveries.add(new Sent(line, next.get(i)));
        }
        line.sending(messages.size());
        inFlight += messages.size();
        int taken = transport.sendInOrder(messages, deliveries);
        inFlight -= line.notTaken(messages.size() - taken);
    }

    /** @return why the event cannot be sent; null when it was added to the messages */
    private @Nullable String seal(ClaimedEvent claimed, List<Message> messages) {
        if (settings.retry().deadly(claimed.retryCount())) {
            return "Its relays ended while they held it, " + claimed.retryCount() + " times.";
        }
        try {
            messages.add(settings.envelope().seal(claimed.event()));
            return null;
        } catch (RuntimeException e) {
            return "It cannot be put into its envelope: " + e.getMessage();
        }
    }

    private void take(Sent sent, boolean leads, long sinceClaim) {
        KeyPipeline line = sent.line;
        ClaimedEvent claimed = sent.claimed;
        Failure failure = sent.failure;
        if (failure == null) {
            line.became(new PublishOutcome.Published(claimed));
            destinations.accepted(claimed.event().destination());
            settings.listener().published(claimed.event(), claimed.age().plusNanos(sinceClaim));
        } else if (failure.kind() == Failure.Kind.ABANDONED || line.stopped() || !leads) {
            line.sendAgain(claimed);
        } else {
            settings.listener().failed(claimed.event(), failure);
            switch (failure.kind()) {
                case PERMANENT -> giveUp(line, claimed, failure.reason());
                case TRANSIENT -> retry(line, claimed, failure.reason());
                case DESTINATION -> waitForDestination(line, claimed, failure.reason());
                default -> {
                    outage = outage == null ? failure : outage;
                    line.stopForOutage(claimed, failure.reason());
                }
            }
        }
        send(line);
    }

    private void retry(KeyPipeline line, ClaimedEvent claimed, String reason) {
        int failures = claimed.retryCount() + 1;
        if (settings.retry().exhausted(failures)) {
            giveUp(line, claimed, reason);
        } else {
            line.became(new PublishOutcome.Retry(claimed, settings.retry().delay(failures), reason, true));
            line.stop(KeyPipeline.Stop.PARK);
        }
    }

    private void waitForDestination(KeyPipeline line, ClaimedEvent claimed, String reason) {
        Duration pause = destinations.refused(claimed.event().destination(), reason);
        line.became(new PublishOutcome.Retry(claimed, pause, reason, false));
        line.stop(KeyPipeline.Stop.PARK);
    }

    private void giveUp(KeyPipeline line, ClaimedEvent claimed, String reason) {
        boolean blocks = settings.onDeadLetter() == OnDeadLetter.BLOCK;
        line.became(new PublishOutcome.Dead(claimed, reason, blocks));
        settings.listener().deadLettered(claimed.event(), reason);
        line.stop(blocks ? KeyPipeline.Stop.PARK : KeyPipeline.Stop.RELEASE);
    }

    /** An event on its way, and then its result. */
    private final class Sent implements Delivery {
        private final KeyPipeline line;
        private final ClaimedEvent claimed;
        private @Nullable Failure failure;

        Sent(KeyPipeline line, ClaimedEvent claimed) {
            this.line = line;
            this.claimed = claimed;
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
