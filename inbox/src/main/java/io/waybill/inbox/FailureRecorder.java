package io.waybill.inbox;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.WaybillException;
import io.waybill.relay.RetryPolicy;
import io.waybill.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records what becomes of an event whose handler failed, in a short transaction after the handler's own is rolled back. */
final class FailureRecorder<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
    private static final int LONGEST_ERROR = 4_000;

    private final InboxStore<T> store;
    private final InboxTransactions<T> transactions;
    private final InboxSettings<T> settings;
    private final CircuitBreaker gate;
    private final AttemptLog log;

    FailureRecorder(
            InboxStore<T> store, InboxTransactions<T> transactions, InboxSettings<T> settings, CircuitBreaker gate) {
        this.store = store;
        this.transactions = transactions;
        this.settings = settings;
        this.gate = gate;
        this.log = new AttemptLog(settings.group());
    }

    /**
     * Records what a handler threw, or what a statement of the inbox itself failed with.
     *
     * @param ours whether it was a statement of the inbox
     * @throws OutageException when the database is out; then nothing was recorded
     */
    InboxOutcome record(Arrival<T> arrival, CircuitBreaker.Pass pass, Throwable cause, boolean ours) {
        if (cause instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            throw new OutageException(
                    "The handler of " + arrival.event() + " was interrupted. Deliver the event again.",
                    Duration.ofMillis(1),
                    cause);
        }
        boolean connection = store.isOutage(cause) && !store.refusesData(cause);
        if (connection && !answers()) {
            settings.listener().failed(arrival.event(), FailureKind.SYSTEMIC, cause);
            throw gate.outage(said(cause), true, cause);
        }
        // The database answers. A statement of the inbox that lost its connection is not the event's fault; a handler
        // that
        // did may have closed its own connection or one to another database, so from its second failure on it counts.
        String error = said(cause);
        FailureKind verdict = FailureKind.SYSTEMIC;
        if (!connection || !ours) {
            try {
                verdict = settings.classify().apply(cause);
            } catch (Throwable e) { // a classifier that fails must not block the partition
                verdict = FailureKind.TRANSIENT;
                error = cut(error + " (The classifier failed too: " + said(e) + ")");
            }
        }
        settings.listener().failed(arrival.event(), verdict, cause);
        boolean counted = switch (verdict) {
            case SYSTEMIC -> false;
            case TRANSIENT -> !connection || arrival.held() != null;
            case PERMANENT -> true;
        };
        int failures = arrival.attempts() + (counted ? 1 : 0);
        RetryPolicy retry = settings.retryOf(arrival.event().type());
        InboxOutcome outcome;
        if (counted && (verdict == FailureKind.PERMANENT || retry.exhausted(failures))) {
            outcome = giveUp(arrival, failures, cause, error);
        } else {
            Duration delay = retry.delay(Math.max(1, failures));
            try {
                outcome = retry(arrival, delay, error, counted);
                log.failed(arrival.event(), arrival.attempts() + 1, retry.maxAttempts(), counted, delay, error, cause);
            } catch (RefusedDataException e) {
                outcome = giveUp(arrival, Math.max(1, failures), cause, error); // it cannot be kept for a retry
            }
        }
        switch (verdict) {
            case TRANSIENT -> gate.failed(arrival.event().id(), pass, error);
            case SYSTEMIC -> gate.serviceOut(pass, error);
            case PERMANENT -> {} // says nothing about other events
        }
        return outcome;
    }

    private boolean answers() {
        try {
            store.probe();
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private InboxOutcome retry(Arrival<T> arrival, Duration delay, String error, boolean counted) {
        Event event = arrival.event();
        HeldEvent held = arrival.held();
        return transaction("record a failure of " + event, transaction -> {
            if (held != null) {
                store.postpone(transaction, settings.group(), held, delay, error, counted);
                return InboxOutcome.RETRY_SCHEDULED;
            }
            // The fault may have been the store's, a deadlock perhaps, before the event had its turn: it keeps its
            // place then.
            return switch (store.park(transaction, settings.group(), event, arrival.message())) {
                case PARKED, PARKED_BEFORE -> InboxOutcome.PARKED;
                case RETRYING -> InboxOutcome.RETRY_SCHEDULED;
                case DUPLICATE -> InboxOutcome.DUPLICATE;
                case FREE ->
                    store.scheduleRetry(transaction, settings.group(), event, arrival.message(), delay, error, counted)
                            ? InboxOutcome.RETRY_SCHEDULED
                            : InboxOutcome.DUPLICATE;
            };
        });
    }

    private InboxOutcome giveUp(Arrival<T> arrival, int attempts, Throwable cause, String error) {
        Event event = arrival.event();
        DeadLetter letter = new DeadLetter(
                settings.group(),
                event.id(),
                event.type(),
                InboxStore.entity(event),
                arrival.message(),
                attempts,
                cause.getClass().getName(),
                error,
                Instant.now().truncatedTo(ChronoUnit.MILLIS));
        return bury(letter, event.headers(), arrival.held(), cause);
    }

    /** Gives up on a message that is no event. */
    InboxOutcome poison(ReceivedMessage message, PoisonException cause, @Nullable HeldEvent held) {
        settings.listener().poison(message, said(cause));
        String key = message.key();
        DeadLetter letter = new DeadLetter(
                settings.group(),
                held == null ? Arrival.poisonId(message) : held.id(),
                "",
                key == null ? "" : EntityName.of(Text.storable(key)),
                message,
                1,
                cause.getClass().getName(),
                said(cause),
                Instant.now().truncatedTo(ChronoUnit.MILLIS));
        return bury(letter, message.headers(), held, null);
    }

    /** In one transaction, so that there is one dead letter, on its topic too, however often the process dies here. */
    private InboxOutcome bury(
            DeadLetter letter, Map<String, String> headers, @Nullable HeldEvent held, @Nullable Throwable cause) {
        InboxOutcome outcome;
        try {
            outcome = writeAndPublish(letter, headers, held);
        } catch (RefusedDataException e) {
            outcome = writeShortened(letter, headers, held, e);
        }
        if (outcome == InboxOutcome.DEAD_LETTERED) {
            log.gaveUp(letter, cause);
        }
        return outcome;
    }

    private InboxOutcome writeAndPublish(DeadLetter letter, Map<String, String> headers, @Nullable HeldEvent held) {
        try {
            return write(letter, headers, held, settings.deadLetters());
        } catch (OutageException e) {
            throw e;
        } catch (WaybillException e) {
            if (settings.deadLetters() == null) {
                throw e;
            }
            // The outbox refuses the message, whatever is done: the dead letter itself must not be stuck for that.
            LOG.error("Group {} cannot publish a dead letter, it is kept in the inbox only", settings.group(), e);
            return write(letter, headers, held, null);
        }
    }

    /** A message that cannot be recorded as it is must not stop those behind it. */
    private InboxOutcome writeShortened(
            DeadLetter letter, Map<String, String> headers, @Nullable HeldEvent held, RefusedDataException refused) {
        RefusedDataException last = refused;
        for (DeadLetter shorter : ShortenedLetter.of(letter, said(refused))) {
            try {
                return writeAndPublish(shorter, headers, held);
            } catch (RefusedDataException e) {
                last = e;
            }
        }
        throw gate.outage(said(last), false, last);
    }

    private InboxOutcome write(
            DeadLetter letter, Map<String, String> headers, @Nullable HeldEvent held, @Nullable Outbox<T> outbox) {
        return transaction("give up on event " + letter.eventId(), transaction -> {
            boolean buried = store.bury(transaction, letter);
            if (buried && outbox != null) {
                outbox.append(transaction, DeadLetterMessage.of(letter, headers, settings.service()));
            }
            if (held != null) {
                store.release(transaction, settings.group(), held.id());
            }
            return buried ? InboxOutcome.DEAD_LETTERED : InboxOutcome.DUPLICATE;
        });
    }

    private InboxOutcome transaction(String what, InboxTransactions.Work<T, InboxOutcome> work) {
        try {
            return transactions.transaction(what, work);
        } catch (StoreException e) {
            if (store.refusesData(e)) {
                throw new RefusedDataException(e);
            }
            throw gate.outage(said(e), store.isOutage(e), e);
        }
    }

    static String said(Throwable cause) {
        String message;
        try {
            message = cause.getMessage();
        } catch (RuntimeException e) { // of a handler's own exception class
            message = null;
        }
        String text = message == null || message.isBlank() ? cause.getClass().getSimpleName() : message.strip();
        return cut(Text.storable(text));
    }

    private static String cut(String text) {
        return text.length() <= LONGEST_ERROR ? text : text.substring(0, LONGEST_ERROR - 1) + "…";
    }
}
