package io.waybill.saga.store;

import io.waybill.inbox.InboxTransactions;
import io.waybill.saga.admin.SagaOperations;
import io.waybill.saga.admin.SagaView;
import io.waybill.saga.picture.SagaOutline;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Stores executions of sagas. All times are times of the database.
 *
 * <p>The lock of a saga's row serialises everything that happens to it: {@link #lock} is called first in every transaction that
 * changes a saga, so two engines never decide about the same state. Results that come from outside of a transaction name their
 * attempt, and the engine compares it under the lock.
 *
 * @param <T> the type of a transaction, such as a JDBC {@code Connection}
 */
public interface SagaStore<T> extends InboxTransactions<T> {

    Class<? super T> transactionType();

    Instant now(T transaction);

    /** @return false if a saga with this name and business key exists; nothing was changed then */
    boolean insert(T transaction, SagaRecord saga, List<HistoryEntry> history);

    /** Returns the saga without locking it. */
    Optional<SagaRecord> find(T transaction, String name, String businessKey);

    /** Locks the saga. Waits while another transaction has locked it. */
    Optional<LockedSaga> lock(T transaction, UUID id);

    /** Locks the saga if it is due or has signals. Returns empty at once if it is not due, or if another transaction has locked it. */
    Optional<LockedSaga> lockDue(T transaction, UUID id);

    /**
     * Writes a locked saga, and deletes the signals that the transaction has read with it.
     *
     * @param dataChanged whether the data differs from the stored one
     */
    void update(
            T transaction, SagaRecord saga, boolean dataChanged, List<HistoryEntry> history, List<SagaSignal> applied);

    /** Posts a signal, which makes the saga due. */
    void post(T transaction, UUID saga, SagaSignal signal);

    /** Returns sagas of these definitions that are due or have signals, longest due first. One cheap query. */
    List<UUID> due(Collection<Definition> definitions, int limit);

    /**
     * Stores the outline of a definition unless it is stored already.
     *
     * @return the outline that is stored now
     */
    SagaOutline register(SagaOutline outline);

    /** Lets the saga rest after an unexpected failure of the engine. */
    void postpone(UUID id, Duration delay, String error);

    /**
     * Makes sagas due that were written at a time which is still to come: the clock of the database was set back since, and their
     * timers would be late by the same time. The engine then moves their timers. Reads all sagas that have not ended.
     *
     * @param longestRest a saga that is to rest for longer than this is due at once, too
     * @return the number of sagas
     */
    int wakeAfterClockStep(Duration longestRest);

    /** Removes at most {@code limit} sagas that ended longer ago than {@code age}, with their history. */
    int prune(Duration age, int limit);

    SagaView view();

    SagaOperations operations();

    /** The name and version of a definition that an engine can execute. */
    record Definition(String name, int version) {}
}
