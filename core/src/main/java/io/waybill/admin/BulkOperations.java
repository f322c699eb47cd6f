package io.waybill.admin;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Actions on any number of events. An operation is stored in the database, so that it survives a crash of the program that runs it.
 * Each step is one transaction, which changes some events and records their results, the progress and an audit row.
 */
public interface BulkOperations {
    /** Number of events that one step changes. */
    int STEP = 100;

    /**
     * Creates an operation and counts the events that it would change. It changes nothing before {@link #confirm}.
     *
     * @param filter its states are ignored: the kind of the operation determines them
     * @param ratePerSecond the largest number of events to change per second; 0 if unlimited
     */
    BulkOperation draft(BulkOperation.Kind kind, EventFilter filter, int ratePerSecond, Action action);

    /** Lets a runner execute the operation. A no-op if it is confirmed already. */
    BulkOperation confirm(UUID id, Action action);

    /** Ends an operation. The events that it has changed stay changed. A no-op if it is cancelled already. */
    BulkOperation cancel(UUID id, Action action);

    Optional<BulkOperation> operation(UUID id);

    /** Returns the operations, newest first. */
    Page<BulkOperation> operations(@Nullable String cursor, int limit);

    /** Returns the results of an operation, in the order of the event ids. */
    Page<BulkOperation.Result> results(UUID id, @Nullable String cursor, int limit);

    /**
     * Executes the next step of some confirmed operation, unless another runner is working on it.
     *
     * @param runner the unique name of this runner
     * @param lease how long no other runner may continue the operation after the step
     * @return the operation after the step, or empty if there is nothing to do now
     */
    Optional<BulkOperation> step(String runner, Duration lease);
}
