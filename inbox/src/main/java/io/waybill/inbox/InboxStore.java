package io.waybill.inbox;

import io.waybill.Event;
import io.waybill.inbox.internal.message.IndexableKey;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The storage of an {@link Inbox}. The inbox makes all decisions; the store records them. Methods with a transaction
 * parameter take part in that transaction. All times are times of the database. Methods throw {@code StoreException} if
 * the database fails.
 *
 * @param <T> the type of a transaction: a JDBC {@code Connection}, a MongoDB client session
 */
public interface InboxStore<T> extends InboxTransactions<T> {

    /**
     * Returns the key by which an inbox orders events: aggregate type and key, or the key alone if the event has no aggregate type.
     * A key that is too long for an index is replaced by its prefix and a digest. Every comparison of keys uses this form.
     */
    static String qualifiedKey(Event event) {
        return IndexableKey.of(
                event.aggregateType().isEmpty() ? event.key() : event.aggregateType() + "/" + event.key());
    }

    /** Whether an event may be applied. */
    enum Admission {
        /** The event is marked as processed in this transaction. Concurrent deliveries wait until the transaction ends. */
        ADMITTED,
        /** The event already has a final outcome. */
        DUPLICATE,
        /** An event of the same key waits in the inbox, possibly this one. */
        HELD
    }

    /** The result of {@link #park}. */
    enum Parking {
        PARKED,
        /** The event is already parked. */
        ALREADY_PARKED,
        /** The event already waits for a retry. */
        RETRYING,
        /** The event already has a final outcome. */
        DUPLICATE,
        /** No event of the key waits any more: request admission again. */
        FREE
    }

    /** How a version relates to the last version seen of the same key. */
    enum Sequence {
        NEXT,
        STALE,
        GAP
    }

    /**
     * Marks the event as processed, unless it already has a final outcome or another event of its key waits.
     *
     * @param held whether the event comes from the inbox; in that case, no other event of its key is ahead of it
     */
    Admission admit(T transaction, String group, Event event, boolean held);

    /** Calls {@link #admit} for several events from a broker, in this order. A store may do so in one round trip. */
    default List<Admission> admitAll(T transaction, String group, List<Event> events) {
        return events.stream()
                .map(event -> admit(transaction, group, event, false))
                .toList();
    }

    /** Changes the mark of an admitted event to stale. */
    void markStale(T transaction, String group, UUID id);

    /** Removes the mark of an admitted event. */
    void unmark(T transaction, String group, UUID id);

    /** Records this version of the key if it is above the last one seen. Returns whether it is. */
    boolean advance(T transaction, String group, String key, long version);

    /**
     * Records this version of the key if it is the next one. If an event waits for this version, the event becomes due.
     * Concurrent calls for the same key wait until the transaction ends.
     *
     * @param acceptGap whether a gap counts as the next version
     */
    Sequence advanceStrictly(T transaction, String group, String key, long version, boolean acceptGap);

    /** Keeps the event in the inbox, behind the events of its key that already wait there. */
    Parking park(T transaction, String group, Event event, ReceivedMessage message);

    /** Keeps the event until its predecessor was applied or {@code patience} is over. Does not block other events. */
    void awaitPredecessor(T transaction, String group, Event event, ReceivedMessage message, Duration patience);

    /**
     * Records a failed first attempt; from now on, later events of the key wait.
     *
     * @param counted whether the attempt counts towards the limit
     * @return false if the event got a final outcome in the meantime
     */
    boolean scheduleRetry(
            T transaction,
            String group,
            Event event,
            ReceivedMessage message,
            Duration delay,
            String error,
            boolean counted);

    /**
     * Records a failed attempt of a held event, unless another consumer has already done so.
     *
     * @param error null keeps the last error
     * @param counted whether the attempt counts towards the limit
     */
    void postpone(T transaction, String group, HeldEvent held, Duration delay, @Nullable String error, boolean counted);

    /** Removes a held event from the inbox and makes the next event of its key due. */
    void release(T transaction, String group, UUID id);

    /**
     * Records a dead letter and marks its event as decided.
     *
     * @return false if the event got a final outcome in the meantime; in that case nothing was written
     */
    boolean recordDeadLetter(T transaction, DeadLetter letter);

    /** Claims held events that are due, one per key, for the duration of the lease. Uses its own transaction. */
    List<HeldEvent> claimDue(String group, int limit, Duration lease);

    /**
     * Removes at most {@code limit} marks of events processed longer ago than {@code age}; marks of dead letters stay.
     *
     * @return the number of removed marks; fewer than {@code limit} means that no more are due now
     */
    int prune(String group, Duration age, int limit);

    /**
     * Makes {@link InboxView} show that a consumer of the group is paused. Uses its own transaction.
     *
     * @param consumer distinguishes the consumers of a group
     * @param lasts time since the pause began
     * @param valid how long the row is valid, unless it is updated or removed
     */
    void showPause(String group, String consumer, Duration lasts, String reason, Duration valid);

    /** Removes the row that {@link #showPause} wrote. */
    void endPause(String group, String consumer);

    /** Returns normally if the database answers. */
    void probe();

    /** Whether the error, which a handler may have rethrown, means that the database is down. */
    boolean isOutage(Throwable error);

    /**
     * Whether the error means that the database can never store the given data: a text is too long for a column or an index, the
     * message is too large, or a character is not supported.
     */
    default boolean refusesData(Throwable error) {
        return false;
    }
}
