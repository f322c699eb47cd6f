package io.waybill.inbox.internal.handling;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.WaybillException;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.FailureKind;
import io.waybill.inbox.HeldEvent;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxTransactions;
import io.waybill.inbox.OutageException;
import io.waybill.inbox.PoisonException;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.inbox.internal.breaker.CircuitBreaker;
import io.waybill.inbox.internal.message.DeadLetterMessage;
import io.waybill.inbox.internal.message.ErrorText;
import io.waybill.inbox.internal.message.IndexableKey;
import io.waybill.inbox.internal.message.PoisonId;
import io.waybill.inbox.internal.message.ShortenedDeadLetter;
import io.waybill.internal.EventTrace;
import io.waybill.internal.StorableText;
import io.waybill.retry.RetryPolicy;
import io.waybill.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records the failure of a handler in a short transaction, after the transaction of the handler was rolled back. */
public final class FailureRecorder<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

    private final InboxStore<T> store;
    private final InboxTransactions<T> transactions;
    private final InboxSettings<T> settings;
    private final CircuitBreaker breaker;
    private final AttemptLog log;

    public FailureRecorder(
            InboxStore<T> store, InboxTransactions<T> transactions, InboxSettings<T> settings, CircuitBreaker breaker) {
        this.store = store;
        this.transactions = transactions;
        this.settings = settings;
        this.breaker = breaker;
        this.log = new AttemptLog(settings.group(), settings.ticker());
    }

    /**
     * Records the exception of a handler or of a statement of the inbox itself.
     *
     * @param ownStatement whether a statement of the inbox failed
     * @throws OutageException if the database is down; in that case nothing was recorded
     */
    public InboxOutcome record(
            IncomingEvent<T> incoming, CircuitBreaker.Pass pass, Throwable cause, boolean ownStatement) {
        if (cause instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            throw new OutageException(
                    "The handler of " + incoming.event() + " was interrupted. Deliver the event again.",
                    Duration.ofMillis(1),
                    cause);
        }
        boolean connection = store.isOutage(cause) && !store.refusesData(cause);
        if (connection && !databaseAnswers()) {
            settings.listener().failed(incoming.event(), FailureKind.SYSTEMIC, cause);
            throw breaker.outage(ErrorText.of(cause), true, cause);
        }
        // The database answers. If a statement of the inbox lost its connection, the event is not the cause. A
        // connection that a handler lost may be one that the handler opened, perhaps to another database; such a
        // failure counts from the second one on.
        String error = ErrorText.of(cause);
        FailureKind verdict = FailureKind.SYSTEMIC;
        if (!connection || !ownStatement) {
            try {
                verdict = settings.classify().apply(cause);
            } catch (Throwable e) { // a failing classifier must not block the partition
                verdict = FailureKind.TRANSIENT;
                error = ErrorText.cut(error + " (The classifier failed as well: " + ErrorText.of(e) + ")");
            }
        }
        settings.listener().failed(incoming.event(), verdict, cause);
        boolean counted = switch (verdict) {
            case SYSTEMIC -> false;
            case TRANSIENT -> !connection || incoming.held() != null;
            case PERMANENT -> true;
        };
        int failures = incoming.attempts() + (counted ? 1 : 0);
        RetryPolicy retry = settings.retryOf(incoming.event().type());
        InboxOutcome outcome;
        if (counted && (verdict == FailureKind.PERMANENT || retry.exhausted(failures))) {
            outcome = giveUp(incoming, failures, cause, error);
        } else {
            Duration delay = retry.delay(Math.max(1, failures));
            try {
                outcome = retry(incoming, delay, error, counted);
                log.failed(
                        incoming.event(), incoming.attempts() + 1, retry.maxAttempts(), counted, delay, error, cause);
            } catch (RefusedDataException e) { // the database cannot store the event for a retry
                outcome = giveUp(incoming, Math.max(1, failures), cause, error);
            }
        }
        switch (verdict) {
            case TRANSIENT -> breaker.failed(incoming.event().id(), pass, error);
            case SYSTEMIC -> breaker.serviceDown(pass, error);
            case PERMANENT -> {} // a permanent failure says nothing about other events
        }
        return outcome;
    }

    private boolean databaseAnswers() {
        try {
            store.probe();
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private InboxOutcome retry(IncomingEvent<T> incoming, Duration delay, String error, boolean counted) {
        Event event = incoming.event();
        HeldEvent held = incoming.held();
        return transaction("record a failure of " + event, transaction -> {
            if (held != null) {
                store.postpone(transaction, settings.group(), held, delay, error, counted);
                return InboxOutcome.RETRY_SCHEDULED;
            }
            // The store may have failed, for example with a deadlock, while an earlier event of the key was still
            // waiting. In that case the event is parked and keeps its place in the order.
            return switch (store.park(transaction, settings.group(), event, incoming.message())) {
                case PARKED, ALREADY_PARKED -> InboxOutcome.PARKED;
                case RETRYING -> InboxOutcome.RETRY_SCHEDULED;
                case DUPLICATE -> InboxOutcome.DUPLICATE;
                case FREE ->
                    store.scheduleRetry(transaction, settings.group(), event, incoming.message(), delay, error, counted)
                            ? InboxOutcome.RETRY_SCHEDULED
                            : InboxOutcome.DUPLICATE;
            };
        });
    }

    private InboxOutcome giveUp(IncomingEvent<T> incoming, int attempts, Throwable cause, String error) {
        Event event = incoming.event();
        DeadLetter letter = new DeadLetter(
                settings.group(),
                event.id(),
                event.type(),
                InboxStore.qualifiedKey(event),
                incoming.message(),
                attempts,
                cause.getClass().getName(),
                error,
                Instant.now().truncatedTo(ChronoUnit.MILLIS));
        return deadLetter(letter, event.headers(), incoming.held(), cause);
    }

    /** Records a message that cannot be read as a dead letter. */
    public InboxOutcome poison(ReceivedMessage message, PoisonException cause, @Nullable HeldEvent held) {
        UUID id = held == null ? PoisonId.of(message) : held.id();
        return EventTrace.logged(id, message.headers(), () -> poison(id, message, cause, held));
    }

    private InboxOutcome poison(UUID id, ReceivedMessage message, PoisonException cause, @Nullable HeldEvent held) {
        settings.listener().poison(message, ErrorText.of(cause));
        String key = message.key();
        DeadLetter letter = new DeadLetter(
                settings.group(),
                id,
                "",
                key == null ? "" : IndexableKey.of(StorableText.sanitize(key)),
                message,
                1,
                cause.getClass().getName(),
                ErrorText.of(cause),
                Instant.now().truncatedTo(ChronoUnit.MILLIS));
        return deadLetter(letter, message.headers(), held, null);
    }

    /** Uses one transaction, so that there is exactly one dead letter, also on its topic, even if the process crashes here. */
    private InboxOutcome deadLetter(
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
            // The outbox rejects the message. The dead letter itself must be recorded nevertheless.
            LOG.error("Group {} cannot publish a dead letter; it is kept only in the inbox", settings.group(), e);
            return write(letter, headers, held, null);
        }
    }

    /** A message that the database cannot store must not block the messages behind it. */
    private InboxOutcome writeShortened(
            DeadLetter letter, Map<String, String> headers, @Nullable HeldEvent held, RefusedDataException refused) {
        RefusedDataException last = refused;
        for (DeadLetter shorter : ShortenedDeadLetter.of(letter, ErrorText.of(refused))) {
            try {
                return writeAndPublish(shorter, headers, held);
            } catch (RefusedDataException e) {
                last = e;
            }
        }
        throw breaker.outage(ErrorText.of(last), false, last);
    }

    private InboxOutcome write(
            DeadLetter letter, Map<String, String> headers, @Nullable HeldEvent held, @Nullable Outbox<T> outbox) {
        return transaction("give up on event " + letter.eventId(), transaction -> {
            boolean recorded = store.recordDeadLetter(transaction, letter);
            if (recorded && outbox != null) {
                outbox.append(transaction, DeadLetterMessage.of(letter, headers, settings.service()));
            }
            if (held != null) {
                store.release(transaction, settings.group(), held.id());
            }
            return recorded ? InboxOutcome.DEAD_LETTERED : InboxOutcome.DUPLICATE;
        });
    }

    private InboxOutcome transaction(String what, InboxTransactions.Work<T, InboxOutcome> work) {
        try {
            return transactions.transaction(what, work);
        } catch (StoreException e) {
            if (store.refusesData(e)) {
                throw new RefusedDataException(e);
            }
            throw breaker.outage(ErrorText.of(e), store.isOutage(e), e);
        }
    }
}
