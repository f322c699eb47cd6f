package io.waybill.inbox;

import static java.util.Objects.requireNonNull;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies each event once per consumer group, in order per key, whatever the broker repeats and wherever the process dies.
 *
 * <p>One transaction takes an event: it marks it in {@code processed_events}, runs the handler, and commits; only then may the
 * broker forget the message. An event that fails is kept in the inbox and tried again later; later events of its key wait behind
 * it, there too, so the broker's offset moves on. After its last attempt it is a dead letter.
 *
 * <p>Thread-safe. Events of one key must be handed over in their order, one after the other; different keys may go side by side.
 *
 * @param <T> what a transaction is here: a JDBC {@code Connection}, a MongoDB client session
 */
public final class Inbox<T> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

    /** How long a due event stays with whoever took it; the mark in the database protects it beyond that. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final int DUE_AT_ONCE = 20;

    private final InboxStore<T> store;
    private final InboxTransactions<T> transactions;
    private final InboxSettings<T> settings;
    private final CircuitBreaker gate;
    private final EventApplier<T> application;
    private final FailureRecorder<T> failures;
    private final PauseReport pauseReport;
    private final BackgroundTasks background;

    Inbox(InboxStore<T> store, InboxTransactions<T> transactions, InboxSettings<T> settings) {
        this.store = store;
        this.transactions = transactions;
        this.settings = settings;
        this.gate = new CircuitBreaker(
                settings.group(), settings.pauseAfter(), settings.longestPause(), settings.listener());
        this.application = new EventApplier<>(store, settings);
        this.failures = new FailureRecorder<>(store, transactions, settings, gate);
        this.pauseReport = new PauseReport(store, settings.group(), gate);
        this.background = new BackgroundTasks(this, settings.group());
    }

    public static <T> InboxBuilder<T> builder(InboxStore<T> store, String group) {
        return new InboxBuilder<>(store, group);
    }

    public String group() {
        return settings.group();
    }

    public Set<String> eventTypes() {
        return settings.handlers().keySet();
    }

    public Duration retention() {
        return settings.retention();
    }

    /** How long an event can be on its way through all its attempts, handlers' own time aside. */
    public Duration longestRetry() {
        return Stream.concat(Stream.of(settings.retry()), settings.retries().values().stream())
                .map(policy -> policy.longestDelay().multipliedBy(policy.maxAttempts() - 1L))
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    /**
     * Whether consumption is paused because the database is out, or because so many different events have failed in a row. One
     * event at a time is tried until one succeeds.
     */
    public boolean paused() {
        return gate.isClosed();
    }

    /** Throws with the reason of the pause while it lets no event through. */
    void demandTurn() {
        if (!gate.remaining().isZero()) {
            throw new WaybillException("Group " + settings.group() + " is paused: "
                    + gate.pause().map(CircuitBreaker.Pause::reason).orElse(""));
        }
    }

    /** Returns when the database answers; throws {@code WaybillException} with the reason when it does not. */
    public void probe() {
        store.probe();
    }

    /**
     * Takes a message. What is returned is durable: the broker may forget the message.
     *
     * @throws OutageException when nothing can be decided now; deliver it again, before anything else of its key
     */
    public InboxOutcome handle(ReceivedMessage message) {
        requireNonNull(message, "message");
        long began = System.nanoTime();
        Event event;
        try {
            event = EnvelopeReader.read(message);
        } catch (PoisonException e) {
            return failures.poison(message, e, null);
        }
        InboxOutcome outcome = skips(event) ? InboxOutcome.SKIPPED : take(arrival(message, event, null));
        settings.listener().handled(event, outcome, Duration.ofNanos(System.nanoTime() - began));
        return outcome;
    }

    /**
     * Takes several messages, in this order and in one transaction; when one of them cannot be applied, one by one. Handlers may
     * then run twice, the first time without effect.
     *
     * @return an outcome for each
     * @throws OutageException as {@link #handle(ReceivedMessage)}; deliver all of them again, or those after the first {@link
     *     OutageException#decided()} ones
     */
    public List<InboxOutcome> handle(List<ReceivedMessage> messages) {
        if (messages.size() > 1 && !gate.isClosed()) {
            List<InboxOutcome> together = together(messages);
            if (together != null) {
                return together;
            }
        }
        List<InboxOutcome> outcomes = new ArrayList<>(messages.size());
        for (ReceivedMessage message : messages) {
            try {
                outcomes.add(handle(message));
            } catch (OutageException e) {
                throw e.after(outcomes.size());
            }
        }
        return outcomes;
    }

    private @Nullable List<InboxOutcome> together(List<ReceivedMessage> messages) {
        long began = System.nanoTime();
        List<Arrival<T>> arrivals = new ArrayList<>(messages.size());
        try {
            for (ReceivedMessage message : messages) {
                Event event = EnvelopeReader.read(message);
                if (skips(event)) {
                    return null;
                }
                arrivals.add(arrival(message, event, null));
            }
            List<InboxOutcome> applied = transactions.transaction(
                    "apply " + arrivals.size() + " events", transaction -> application.applyAll(transaction, arrivals));
            List<InboxOutcome> outcomes = new ArrayList<>(applied.size());
            for (int i = 0; i < applied.size(); i++) {
                outcomes.add(shown(arrivals.get(i).event(), applied.get(i)));
            }
            gate.succeeded(outcomes.contains(InboxOutcome.PROCESSED));
            Duration each = Duration.ofNanos((System.nanoTime() - began) / messages.size());
            for (int i = 0; i < outcomes.size(); i++) {
                settings.listener().handled(arrivals.get(i).event(), outcomes.get(i), each);
            }
            return outcomes;
        } catch (PoisonException | HandlerFailure | StoreException e) {
            return null; // one by one, each with its own verdict
        }
    }

    /** Under a strict guard a skipped event is taken like any other, without a handler, so that its version counts as seen. */
    private boolean skips(Event event) {
        boolean counts = settings.guard().mode() == VersionGuard.Mode.STRICT
                && event.aggregateVersion().isPresent();
        return isSkipped(event) && !counts;
    }

    private boolean isSkipped(Event event) {
        return settings.unknown() == InboxBuilder.Unknown.SKIP
                && !settings.handlers().containsKey(event.type());
    }

    private Arrival<T> arrival(ReceivedMessage message, Event event, @Nullable HeldEvent held) {
        Handler<T> handler = settings.handlers().get(event.type());
        return new Arrival<>(message, event, handler == null ? this::handleUnknown : handler, held);
    }

    private void handleUnknown(Event event, T transaction) {
        if (!isSkipped(event)) {
            refuse(event);
        }
    }

    private InboxOutcome shown(Event event, InboxOutcome outcome) {
        return outcome == InboxOutcome.PROCESSED && isSkipped(event) ? InboxOutcome.SKIPPED : outcome;
    }

    private void refuse(Event event) {
        String reason = "Group " + settings.group() + " has no handler for events of type " + event.type()
                + ". Deploy one and replay the event, or let unknown types be skipped.";
        throw settings.unknown() == InboxBuilder.Unknown.RETRY
                ? new WaybillException(reason)
                : new PermanentException(reason);
    }

    private InboxOutcome take(Arrival<T> arrival) {
        CircuitBreaker.Pass pass =
                gate.enter(arrival.held() == null ? ProbeLine.placeOf(arrival.message()) : ProbeLine.DUE);
        try {
            InboxOutcome outcome = shown(
                    arrival.event(),
                    transactions.transaction(
                            "apply event " + arrival.event().id(),
                            transaction -> application.apply(transaction, arrival)));
            gate.succeeded(outcome == InboxOutcome.PROCESSED);
            return outcome;
        } catch (HandlerFailure e) {
            return failures.record(arrival, pass, e.thrown(), false);
        } catch (StoreException e) {
            return failures.record(arrival, pass, e, true);
        } finally {
            gate.leave(pass);
        }
    }

    /**
     * Tries every event that is due now: retries, parked ones with nothing before them, replayed dead letters.
     *
     * @return how many were tried
     * @throws OutageException when the group is paused; what was due stays so
     */
    public int runDue() {
        int tried = 0;
        while (!background.stopping()) {
            pauseReport.update();
            if (!gate.remaining().isZero()) {
                return tried;
            }
            List<HeldEvent> due = store.claimDue(settings.group(), gate.isClosed() ? 1 : DUE_AT_ONCE, LEASE);
            gate.succeeded(false);
            if (due.isEmpty()) {
                gate.nothingIsDue();
                return tried;
            }
            for (int i = 0; i < due.size(); i++) {
                try {
                    run(due.get(i));
                    tried++;
                } catch (OutageException e) {
                    giveBack(due.subList(i, due.size()), e);
                    throw e;
                }
            }
        }
        return tried;
    }

    private void run(HeldEvent held) {
        long began = System.nanoTime();
        Event event;
        try {
            event = EnvelopeReader.read(held.message());
        } catch (PoisonException e) {
            failures.poison(held.message(), e, held);
            return;
        }
        InboxOutcome outcome = take(arrival(held.message(), event, held));
        settings.listener().handled(event, outcome, Duration.ofNanos(System.nanoTime() - began));
    }

    private void giveBack(List<HeldEvent> due, OutageException outage) {
        try {
            transactions.transaction("give due events back", transaction -> {
                due.forEach(
                        held -> store.postpone(transaction, settings.group(), held, outage.retryAfter(), null, false));
                return true;
            });
        } catch (RuntimeException e) {
            // the database is out; they are due again when their lease ends
        }
    }

    /** Removes at most {@code limit} marks that are older than the retention; done in the background once started. */
    public int prune(int limit) {
        return store.prune(settings.group(), settings.retention(), limit);
    }

    /** Whether the background work was started and goes on: neither closed nor ended by an error. */
    public boolean isRunning() {
        return background.isRunning();
    }

    /** Whether an error has ended the background work. The consumers of this inbox then end, too. */
    public boolean hasFailed() {
        return background.hasFailed();
    }

    /** Begins to try due events and to remove old marks in the background. Every consumer of the group may do so. */
    public void start() {
        background.start();
    }

    /** Stops the background work after the event at hand. The store stays open. */
    @Override
    public void close() {
        background.stop();
        try {
            pauseReport.end();
        } catch (RuntimeException e) {
            LOG.debug("Group {} could not remove its pause from the database; the row expires", settings.group(), e);
        }
    }
}
