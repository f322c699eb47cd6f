package io.waybill.inbox.internal.handling;

import io.waybill.Event;
import io.waybill.inbox.HeldEvent;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxStore.Admission;
import io.waybill.inbox.InboxStore.Sequence;
import io.waybill.inbox.PermanentException;
import io.waybill.inbox.VersionGuard;
import io.waybill.internal.EventTrace;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Applies an event in a transaction: first the mark that it was processed, then the version guard, then the handler. The mark comes
 * first because it blocks concurrent transactions with the same event until this one ends. If several threads receive
 * the same event, one runs the handler. The others wait until its transaction ends.
 */
public final class EventApplier<T> {
    private final InboxStore<T> store;
    private final InboxSettings<T> settings;

    public EventApplier(InboxStore<T> store, InboxSettings<T> settings) {
        this.store = store;
        this.settings = settings;
    }

    /** @throws HandlerFailure with the exception of the handler */
    public InboxOutcome apply(T transaction, IncomingEvent<T> incoming) {
        return apply(transaction, incoming, requestAdmission(transaction, incoming));
    }

    /** Applies several events in one transaction; one statement writes all marks. */
    public List<InboxOutcome> applyAll(T transaction, List<IncomingEvent<T>> incoming) {
        List<Event> events = incoming.stream().map(IncomingEvent::event).toList();
        List<Admission> admissions = store.admitAll(transaction, settings.group(), events);
        List<InboxOutcome> outcomes = new ArrayList<>(incoming.size());
        for (int i = 0; i < incoming.size(); i++) {
            outcomes.add(enterAndApply(transaction, incoming.get(i), admissions.get(i)));
        }
        return outcomes;
    }

    private InboxOutcome enterAndApply(T transaction, IncomingEvent<T> incoming, Admission admission) {
        return EventTrace.logged(incoming.event(), () -> {
            Runnable leave = incoming.attempt().enter();
            try {
                return apply(transaction, incoming, admission);
            } finally {
                leave.run();
            }
        });
    }

    private InboxOutcome apply(T transaction, IncomingEvent<T> incoming, Admission first) {
        InboxOutcome refused = admit(transaction, incoming, first);
        if (refused == null) {
            refused = guard(transaction, incoming);
        }
        if (refused == null) {
            run(transaction, incoming);
        }
        HeldEvent held = incoming.held();
        if (held != null && refused != InboxOutcome.PARKED) {
            store.release(transaction, settings.group(), held.id());
        }
        return refused == null ? InboxOutcome.PROCESSED : refused;
    }

    private Admission requestAdmission(T transaction, IncomingEvent<T> incoming) {
        return store.admit(transaction, settings.group(), incoming.event(), incoming.held() != null);
    }

    private @Nullable InboxOutcome admit(T transaction, IncomingEvent<T> incoming, Admission first) {
        Admission admission = first;
        while (admission == Admission.HELD) {
            switch (store.park(transaction, settings.group(), incoming.event(), incoming.message())) {
                case PARKED -> {
                    requireWithinRetention(incoming);
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
                case FREE -> admission = requestAdmission(transaction, incoming); // the event ahead has just finished
            }
        }
        return admission == Admission.ADMITTED ? null : InboxOutcome.DUPLICATE;
    }

    private @Nullable InboxOutcome guard(T transaction, IncomingEvent<T> incoming) {
        Event event = incoming.event();
        VersionGuard guard = settings.guard();
        if (guard.mode() == VersionGuard.Mode.OFF || event.aggregateVersion().isEmpty()) {
            return null;
        }
        String key = InboxStore.qualifiedKey(event);
        long version = event.aggregateVersion().getAsLong();
        Sequence sequence;
        if (guard.mode() == VersionGuard.Mode.SKIP_STALE) {
            boolean newer = store.advance(transaction, settings.group(), key, version);
            sequence = newer ? Sequence.NEXT : Sequence.STALE;
        } else {
            HeldEvent held = incoming.held();
            boolean acceptGap = held != null && held.patienceOver();
            sequence = store.advanceStrictly(transaction, settings.group(), key, version, acceptGap);
        }
        return switch (sequence) {
            case NEXT -> null;
            case STALE -> {
                store.markStale(transaction, settings.group(), event.id());
                yield InboxOutcome.STALE;
            }
            case GAP -> {
                requireWithinRetention(incoming);
                // The version row of the key stays locked until the commit. A concurrent transaction that applies the
                // predecessor waits for this commit, and then finds this event.
                store.unmark(transaction, settings.group(), event.id());
                store.awaitPredecessor(transaction, settings.group(), event, incoming.message(), guard.patience());
                yield InboxOutcome.PARKED;
            }
        };
    }

    private void run(T transaction, IncomingEvent<T> incoming) {
        requireWithinRetention(incoming);
        try {
            incoming.handler().handle(transaction, incoming.attempt().handed(incoming.event()));
        } catch (Throwable e) { // also errors: the partial work of a handler must never be committed
            throw new HandlerFailure(e);
        }
    }

    /**
     * Rejects an event that is so old that its mark may have been removed. An event that was kept in the inbox is certainly not
     * processed yet: it failed or waited, or an operator replays it.
     */
    private void requireWithinRetention(IncomingEvent<T> incoming) {
        if (settings.late() == InboxBuilder.Late.DEAD_LETTER
                && incoming.held() == null
                && incoming.event().occurredAt().isBefore(Instant.now().minus(settings.retention()))) {
            throw new HandlerFailure(new PermanentException("The event is older than the retention of this group, "
                    + settings.retention() + ", so it may have been processed before. Replay it if it was not."));
        }
    }
}
