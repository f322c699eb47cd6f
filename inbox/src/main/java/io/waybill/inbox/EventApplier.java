package io.waybill.inbox;

import io.waybill.Event;
import io.waybill.inbox.InboxStore.Admission;
import io.waybill.inbox.InboxStore.Sequence;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes an event through a transaction: the mark first, then the version guard, then the handler. The mark goes first because
 * the database lets nobody else past it until the transaction has ended: of sixteen threads with one event, one runs the handler,
 * and the others learn whether it was committed.
 */
final class EventApplier<T> {
    private final InboxStore<T> store;
    private final InboxSettings<T> settings;

    EventApplier(InboxStore<T> store, InboxSettings<T> settings) {
        this.store = store;
        this.settings = settings;
    }

    /** @throws HandlerFailure with what the handler threw */
    InboxOutcome apply(T transaction, Arrival<T> arrival) {
        return apply(transaction, arrival, ask(transaction, arrival));
    }

    /** Several events in one transaction; their marks are made together. */
    List<InboxOutcome> applyAll(T transaction, List<Arrival<T>> arrivals) {
        List<Event> events = arrivals.stream().map(Arrival::event).toList();
        List<Admission> admissions = store.admitAll(transaction, settings.group(), events);
        List<InboxOutcome> outcomes = new ArrayList<>(arrivals.size());
        for (int i = 0; i < arrivals.size(); i++) {
            outcomes.add(apply(transaction, arrivals.get(i), admissions.get(i)));
        }
        return outcomes;
    }

    private InboxOutcome apply(T transaction, Arrival<T> arrival, Admission first) {
        InboxOutcome refused = admit(transaction, arrival, first);
        if (refused == null) {
            refused = guard(transaction, arrival);
        }
        if (refused == null) {
            run(transaction, arrival);
        }
        HeldEvent held = arrival.held();
        if (held != null && refused != InboxOutcome.PARKED) {
            store.release(transaction, settings.group(), held.id());
        }
        return refused == null ? InboxOutcome.PROCESSED : refused;
    }

    private Admission ask(T transaction, Arrival<T> arrival) {
        return store.admit(transaction, settings.group(), arrival.event(), arrival.held() != null);
    }

    private @Nullable InboxOutcome admit(T transaction, Arrival<T> arrival, Admission first) {
        Admission admission = first;
        while (admission == Admission.HELD) {
            switch (store.park(transaction, settings.group(), arrival.event(), arrival.message())) {
                case PARKED -> {
                    requireInTime(arrival);
                    return InboxOutcome.PARKED;
                }
                case ALREADY_PARKED -> {
                    return InboxOutcome.PARKED;
                }
                case RETRYING -> {
                    return InboxOutcome.RETRY_SCHEDULED;
                }
                case DUPLICATE -> {
                    return InboxOutcome.DUPLICATE;
                }
                case FREE -> admission = ask(transaction, arrival); // what it would have waited for has just been done
            }
        }
        return admission == Admission.ADMITTED ? null : InboxOutcome.DUPLICATE;
    }

    private @Nullable InboxOutcome guard(T transaction, Arrival<T> arrival) {
        Event event = arrival.event();
        VersionGuard guard = settings.guard();
        if (guard.mode() == VersionGuard.Mode.OFF || event.aggregateVersion().isEmpty()) {
            return null;
        }
        String entity = InboxStore.qualifiedKey(event);
        long version = event.aggregateVersion().getAsLong();
        Sequence sequence;
        if (guard.mode() == VersionGuard.Mode.SKIP_STALE) {
            boolean newer = store.advance(transaction, settings.group(), entity, version);
            sequence = newer ? Sequence.NEXT : Sequence.STALE;
        } else {
            HeldEvent held = arrival.held();
            boolean acceptGap = held != null && held.patienceOver();
            sequence = store.advanceStrictly(transaction, settings.group(), entity, version, acceptGap);
        }
        return switch (sequence) {
            case NEXT -> null;
            case STALE -> {
                store.markStale(transaction, settings.group(), event.id());
                yield InboxOutcome.STALE;
            }
            case GAP -> {
                requireInTime(arrival);
                // The entity stays locked until the commit: its predecessor cannot slip in between and miss that this
                // one waits.
                store.unmark(transaction, settings.group(), event.id());
                store.awaitPredecessor(transaction, settings.group(), event, arrival.message(), guard.patience());
                yield InboxOutcome.PARKED;
            }
        };
    }

    private void run(T transaction, Arrival<T> arrival) {
        requireInTime(arrival);
        try {
            arrival.handler().handle(transaction, arrival.event());
        } catch (Throwable e) { // errors as well: whatever ends the handler must not commit its half of the work
            throw new HandlerFailure(e);
        }
    }

    /**
     * Refuses an event so old that a mark of it may have been removed. An event that the inbox itself has kept is known to be
     * undecided: it failed or waited, or a person replays it.
     */
    private void requireInTime(Arrival<T> arrival) {
        if (settings.late() == InboxBuilder.Late.DEAD_LETTER
                && arrival.held() == null
                && arrival.event().occurredAt().isBefore(Instant.now().minus(settings.retention()))) {
            throw new HandlerFailure(new PermanentException("The event is older than the " + settings.retention()
                    + " for which this group remembers what it has processed. Replay it if it is new."));
        }
    }
}
