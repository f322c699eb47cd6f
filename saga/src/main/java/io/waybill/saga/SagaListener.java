package io.waybill.saga;

import java.time.Duration;
import java.util.UUID;

/**
 * Is notified of each change, in the process that made it. Must not throw, and should return quickly. Best effort: the notification
 * follows the commit of the change. Notifications of starts and replies are sent earlier, in the transaction of the caller or of the
 * inbox. If this transaction rolls back and is repeated, the notification is repeated, too.
 */
public interface SagaListener {
    SagaListener NONE = new SagaListener() {};

    default void started(UUID id, String saga, String businessKey) {}

    default void stepStarted(UUID id, String saga, String step, int attempt) {}

    /** @param took from the start of the step's first attempt */
    default void stepSucceeded(UUID id, String saga, String step, Duration took) {}

    /** @param inDoubt whether the step may have had an effect */
    default void stepFailed(UUID id, String saga, String step, boolean inDoubt, String error) {}

    default void stepCompensated(UUID id, String saga, String step) {}

    /** The step or its compensation waits for a person. */
    default void stuck(UUID id, String saga, String step, String error) {}

    default void staleReply(UUID id, String saga, String eventType) {}

    default void ended(UUID id, String saga, String businessKey, SagaStatus status, Duration took) {}
}
