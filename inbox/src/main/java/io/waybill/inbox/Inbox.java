package io.waybill.inbox;

import static java.util.Objects.requireNonNull;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.inbox.internal.breaker.CircuitBreaker;
import io.waybill.inbox.internal.breaker.PauseReporter;
import io.waybill.inbox.internal.breaker.ProbeQueue;
import io.waybill.inbox.internal.handling.BackgroundTasks;
import io.waybill.inbox.internal.handling.EventApplier;
import io.waybill.inbox.internal.handling.FailureRecorder;
import io.waybill.inbox.internal.handling.HandlerFailure;
import io.waybill.inbox.internal.handling.InboxSettings;
import io.waybill.inbox.internal.handling.IncomingEvent;
import io.waybill.inbox.internal.message.EnvelopeReader;
import io.waybill.internal.EventTrace;
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
 * Applies each event once per consumer group, in order per key, despite redeliveries and crashes.
 *
 * <p>One transaction marks an event in {@code processed_events}, runs its handler and commits. Only then may the broker discard the
 * message. If the handler fails, the event is kept in the inbox and retried later. Later events of its key wait behind it, also in
 * the inbox, so that the offset of the consumer can advance. After its last attempt the event becomes a dead letter.
 *
 * <p>Thread-safe. The caller must pass the events of one key in order, one at a time. Different keys may be handled in parallel.
 *
 * @param <T> the type of a transaction: a JDBC {@code Connection}, a MongoDB client session
 */
public final class Inbox<T> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

    /**
     * How long a consumer holds a due event. After that, another consumer may claim the event; the mark still prevents a second
     * effect.
     */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final int DUE_AT_ONCE = 20;

    private final InboxStore<T> store;
    private final InboxTransactions<T> transactions;
    private final InboxSettings<T> settings;
    private final CircuitBreaker breaker;
    private final EventApplier<T> applier;
    private final FailureRecorder<T> failures;
    private final PauseReporter pauseReporter;
    private final BackgroundTasks background;

    Inbox(InboxStore<T> store, InboxTransactions<T> transactions, InboxSettings<T> settings) {
        this.store = store;
        this.transactions = transactions;
        this.settings = settings;
        this.breaker = new CircuitBreaker(
                settings.group(),
                settings.pauseAfter(),
                settings.longestPause(),
                settings.listener(),
                settings.ticker());
        this.applier = new EventApplier<>(store, settings);
        this.failures = new FailureRecorder<>(store, transactions, settings, breaker);
        this.pauseReporter = new PauseReporter(store, settings.group(), breaker, settings.ticker());
        this.background = new BackgroundTasks(settings.group(), settings.ticker(), this::runDue, this::prune);
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

    /** The longest time that all retries of an event can take, without the run time of the handlers. */
    public Duration longestRetry() {
        return Stream.concat(Stream.of(settings.retry()), settings.retries().values().stream())
                .map(policy -> policy.longestDelay().multipliedBy(policy.maxAttempts() - 1L))
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    /**
     * Whether consumption is paused because the database is down or too many different events have failed in a row. During a pause,
     * one event at a time is handled until one succeeds.
     */
    public boolean paused() {
        return breaker.isOpen();
    }

    /** @throws WaybillException with the reason, if the group is paused and no probe is due */
    void requireNotPaused() {
        if (!breaker.remaining().isZero()) {
            throw new WaybillException("Group " + settings.group() + " is paused: "
                    + breaker.pause().map(CircuitBreaker.Pause::reason).orElse(""));
        }
    }

    /** @throws WaybillException with the reason, if the database does not answer */
    public void probe() {
        store.probe();
    }

    /**
     * Handles a message. The returned outcome is durable: the broker may discard the message.
     *
     * @throws OutageException if the outcome cannot be decided now; deliver the message again, before later messages of its key
     */
    public InboxOutcome handle(ReceivedMessage message) {
        requireNonNull(message, "message");
        long began = settings.ticker().nanos();
        Event event;
        try {
            event = EnvelopeReader.read(message);
        } catch (PoisonException e) {
            return failures.poison(message, e, null);
        }
        return EventTrace.logged(
                event, () -> report(event, skips(event) ? InboxOutcome.SKIPPED : apply(message, event, null), began));
    }

    private InboxOutcome report(Event event, InboxOutcome outcome, long began) {
        settings.listener()
                .handled(event, outcome, Duration.ofNanos(settings.ticker().nanos() - began));
        return outcome;
    }

    /**
     * Handles several messages in order, in one transaction. If one of the messages cannot be applied, each message is handled in
     * a transaction of its own. In that case handlers may run twice; the effects of the first run are rolled back.
     *
     * @return the outcome of each message
     * @throws OutageException as {@link #handle(ReceivedMessage)}; deliver all messages again, or all but the first {@link
     *     OutageException#decided()} ones
     */
    public List<InboxOutcome> handle(List<ReceivedMessage> messages) {
        if (messages.size() > 1 && !breaker.isOpen()) {
            List<InboxOutcome> outcomes = handleInOneTransaction(messages);
            if (outcomes != null) {
                return outcomes;
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

    private @Nullable List<InboxOutcome> handleInOneTransaction(List<ReceivedMessage> messages) {
        long began = settings.ticker().nanos();
        List<IncomingEvent<T>> incoming = new ArrayList<>(messages.size());
        List<InboxOutcome> outcomes = new ArrayList<>(messages.size());
        try {
            for (ReceivedMessage message : messages) {
                Event event = EnvelopeReader.read(message);
                if (skips(event)) {
                    return null;
                }
                incoming.add(incoming(message, event, null));
            }
            List<InboxOutcome> applied = transactions.transaction(
                    "apply " + incoming.size() + " events", transaction -> applier.applyAll(transaction, incoming));
            for (int i = 0; i < applied.size(); i++) {
                outcomes.add(reported(incoming.get(i).event(), applied.get(i)));
            }
            breaker.succeeded(outcomes.contains(InboxOutcome.PROCESSED));
            Duration each = Duration.ofNanos((settings.ticker().nanos() - began) / messages.size());
            for (int i = 0; i < outcomes.size(); i++) {
                settings.listener().handled(incoming.get(i).event(), outcomes.get(i), each);
            }
            return outcomes;
        } catch (PoisonException | HandlerFailure | StoreException e) {
            return null; // the caller handles each message on its own
        } finally {
            for (int i = 0; i < incoming.size(); i++) {
                incoming.get(i).attempt().ended(i < outcomes.size() ? outcomes.get(i) : null, null);
            }
        }
    }

    /** A strict version guard must see every version, so it also processes events without a handler. */
    private boolean skips(Event event) {
        boolean counts = settings.guard().mode() == VersionGuard.Mode.STRICT
                && event.aggregateVersion().isPresent();
        return isSkipped(event) && !counts;
    }

    private boolean isSkipped(Event event) {
        return settings.unknown() == InboxBuilder.Unknown.SKIP
                && !settings.handlers().containsKey(event.type());
    }

    private IncomingEvent<T> incoming(ReceivedMessage message, Event event, @Nullable HeldEvent held) {
        Handler<T> handler = settings.handlers().get(event.type());
        return new IncomingEvent<>(
                message,
                event,
                handler == null ? this::handleUnknown : handler,
                settings.tracer().attempt(message, event, held == null ? 0 : held.attempts()),
                held);
    }

    private void handleUnknown(T transaction, Event event) {
        if (!isSkipped(event)) {
            reject(event);
        }
    }

    private InboxOutcome reported(Event event, InboxOutcome outcome) {
        return outcome == InboxOutcome.PROCESSED && isSkipped(event) ? InboxOutcome.SKIPPED : outcome;
    }

    private void reject(Event event) {
        String reason = "Group " + settings.group() + " has no handler for events of type " + event.type()
                + ". Deploy a handler and replay the event, or skip unknown types.";
        throw settings.unknown() == InboxBuilder.Unknown.RETRY
                ? new WaybillException(reason)
                : new PermanentException(reason);
    }

    private InboxOutcome apply(ReceivedMessage message, Event event, @Nullable HeldEvent held) {
        CircuitBreaker.Pass pass = breaker.enter(held == null ? ProbeQueue.sourceOf(message) : ProbeQueue.DUE);
        IncomingEvent<T> incoming = incoming(message, event, held);
        Runnable leave = incoming.attempt().enter();
        InboxOutcome outcome = null;
        Throwable cause = null;
        try {
            outcome = reported(
                    event,
                    transactions.transaction(
                            "apply event " + event.id(), transaction -> applier.apply(transaction, incoming)));
            breaker.succeeded(outcome == InboxOutcome.PROCESSED);
        } catch (HandlerFailure e) {
            cause = e.thrown();
            outcome = failures.record(incoming, pass, cause, false);
        } catch (StoreException e) {
            cause = e;
            outcome = failures.record(incoming, pass, e, true);
        } finally {
            breaker.leave(pass);
            leave.run();
            incoming.attempt().ended(outcome, cause);
        }
        return outcome;
    }

    /**
     * Handles all events that are due now: retries, parked events that no longer wait for another event, and replayed dead letters.
     *
     * @return the number of handled events
     * @throws OutageException if the group is paused; the events stay due
     */
    public int runDue() {
        int handled = 0;
        while (!background.stopping()) {
            pauseReporter.update();
            if (!breaker.remaining().isZero()) {
                return handled;
            }
            List<HeldEvent> due = store.claimDue(settings.group(), breaker.isOpen() ? 1 : DUE_AT_ONCE, LEASE);
            breaker.succeeded(false);
            if (due.isEmpty()) {
                breaker.nothingIsDue();
                return handled;
            }
            for (int i = 0; i < due.size(); i++) {
                try {
                    run(due.get(i));
                    handled++;
                } catch (OutageException e) {
                    postpone(due.subList(i, due.size()), e);
                    throw e;
                }
            }
        }
        return handled;
    }

    private void run(HeldEvent held) {
        long began = settings.ticker().nanos();
        Event event;
        try {
            event = EnvelopeReader.read(held.message());
        } catch (PoisonException e) {
            failures.poison(held.message(), e, held);
            return;
        }
        EventTrace.logged(event, () -> report(event, apply(held.message(), event, held), began));
    }

    private void postpone(List<HeldEvent> due, OutageException outage) {
        try {
            transactions.transaction("postpone due events", transaction -> {
                due.forEach(
                        held -> store.postpone(transaction, settings.group(), held, outage.retryAfter(), null, false));
                return true;
            });
        } catch (RuntimeException e) {
            // The database is down. The events are due again when their lease expires.
        }
    }

    /** Removes at most {@code limit} marks that are older than the retention. {@link #start} does so in the background. */
    public int prune(int limit) {
        return store.prune(settings.group(), settings.retention(), limit);
    }

    /** Whether the background thread runs: it was started and has neither been closed nor failed. */
    public boolean isRunning() {
        return background.isRunning();
    }

    /** Whether an error has ended the background thread. In that case the consumers of this inbox stop as well. */
    public boolean hasFailed() {
        return background.hasFailed();
    }

    /** Starts to handle due events and to remove old marks in the background. Every consumer of the group may do so. */
    public void start() {
        background.start();
    }

    /** Stops the background thread after the current event. The store stays open. */
    @Override
    public void close() {
        background.stop();
        try {
            pauseReporter.end();
        } catch (RuntimeException e) {
            LOG.debug("Group {} could not remove its pause from the database; the row expires", settings.group(), e);
        }
    }
}
