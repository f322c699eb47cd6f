package io.waybill.inbox;

import io.waybill.Event;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where an inbox keeps what it knows; decisions are the {@link Inbox}'s. Methods that take a transaction take part in it. All
 * times are the database's. Methods throw {@code StoreException} when the database fails.
 *
 * @param <T> what a transaction is here: a JDBC {@code Connection}, a MongoDB client session
 */
public interface InboxStore<T> extends InboxTransactions<T> {

    /**
     * The name by which an inbox knows an event's aggregate: type and key, or the key alone when its sender names no type. A name
     * that is too long for an index is its beginning and a digest; every comparison of names uses this form.
     */
    static String entity(Event event) {
        return EntityName.of(event.aggregateType().isEmpty() ? event.key() : event.aggregateType() + "/" + event.key());
    }

    /** Whether an event may be applied. */
    enum Admission {
        /** It is marked as processed in this transaction. Others that come with it wait until the transaction has ended. */
        ADMITTED,
        /** It was decided before. */
        DUPLICATE,
        /** Another event of its entity waits in the inbox, or it does so itself. */
        HELD
    }

    /** What came of keeping an event behind another. */
    enum Parking {
        PARKED,
        /** It waits already, parked. */
        PARKED_BEFORE,
        /** It waits already, after a failure of its own. */
        RETRYING,
        /** It was decided before. */
        DUPLICATE,
        /** Nothing is left to wait for; ask for admission again. */
        FREE
    }

    /** How an entity's version follows on the last one seen. */
    enum Sequence {
        NEXT,
        STALE,
        GAP
    }

    /**
     * Marks the event as processed, unless it was decided before or its entity is held.
     *
     * @param held whether the event comes from the inbox itself, so that nothing can be before it
     */
    Admission admit(T transaction, String group, Event event, boolean held);

    /** {@link #admit} for several events that come from a broker, in this order; a store may do it in one go. */
    default List<Admission> admitAll(T transaction, String group, List<Event> events) {
        return events.stream()
                .map(event -> admit(transaction, group, event, false))
                .toList();
    }

    /** Changes the mark of an admitted event to say that it was stale. */
    void markStale(T transaction, String group, UUID id);

    /** Takes the mark of an admitted event back. */
    void unmark(T transaction, String group, UUID id);

    /** Moves the entity to this version if that is above the last one seen; false when it is not. */
    boolean advance(T transaction, String group, String entity, long version);

    /**
     * Moves the entity to this version if it is the next one, and makes an event due that waits for it. Whoever asks for the
     * same entity meanwhile waits until the transaction has ended.
     *
     * @param acceptGap whether a gap counts as the next version
     */
    Sequence advanceStrictly(T transaction, String group, String entity, long version, boolean acceptGap);

    /** Keeps the event behind those of its entity that wait already. */
    Parking park(T transaction, String group, Event event, ReceivedMessage message);

    /** Keeps the event until its predecessor has come, or until {@code patience} is over. Holds nothing else back. */
    void awaitPredecessor(T transaction, String group, Event event, ReceivedMessage message, Duration patience);

    /**
     * Records a failed first attempt; later events of the entity wait from now on.
     *
     * @param counted whether it counts towards the limit
     * @return false when the event was decided meanwhile
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
     * Records a failed attempt of a held event, unless somebody else did.
     *
     * @param error null leaves the last one there
     * @param counted whether it counts towards the limit
     */
    void postpone(T transaction, String group, HeldEvent held, Duration delay, @Nullable String error, boolean counted);

    /** Takes a held event out of the inbox and makes the next one of its entity due. */
    void release(T transaction, String group, UUID id);

    /**
     * Records a dead letter and marks its event as decided.
     *
     * @return false when it was decided meanwhile; then nothing was written
     */
    boolean bury(T transaction, DeadLetter letter);

    /** Claims held events that are due, one of each entity, for the time of the lease. A transaction of its own. */
    List<HeldEvent> claimDue(String group, int limit, Duration lease);

    /**
     * Removes at most {@code limit} marks of events processed longer ago than {@code age}; those of dead letters stay.
     *
     * @return how many were removed; fewer than {@code limit} means there are no more for now
     */
    int prune(String group, Duration age, int limit);

    /**
     * Shows that a consumer of the group is paused, in {@link InboxView}. A transaction of its own.
     *
     * @param consumer distinguishes the consumers of a group
     * @param lasts time since the pause began
     * @param valid the row counts for this time, unless it is written again or ended
     */
    void showPause(String group, String consumer, Duration lasts, String reason, Duration valid);

    /** Removes what {@link #showPause} wrote. */
    void endPause(String group, String consumer);

    /** Returns when the database answers. */
    void probe();

    /** Whether the error, which a handler may have passed on, says that the database is out. */
    boolean isOutage(Throwable error);

    /**
     * Whether the error says that the database refuses what it was given to store, however often that is tried: too long for a
     * column or an index, too large a message, a character that it does not take.
     */
    default boolean refusesData(Throwable error) {
        return false;
    }
}
