package io.waybill.spring;

import java.util.Optional;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the relay as a part of the application's lifecycle. The relay starts last, after migrations and the web server, on its own
 * threads or, with {@code waybill.relay.every}, at an interval. When the application stops, the relay settles the events in flight
 * and releases its lanes.
 */
public interface RelayLifecycle extends SmartLifecycle {
    /** Hints that a transaction has committed, so that the relay looks for events now. Cheap. */
    void hint();

    /**
     * Publishes all pending events of the lanes that no other relay owns, and returns: for jobs and tests. Works also when the
     * relay is not enabled. With the in-process transport, the handlers have run when the method returns; events whose handler
     * failed are retried later.
     *
     * @return the number of published events
     */
    long runOnce();

    /** Whether events go to this application's own handlers, without a broker. */
    boolean isInProcess();

    /** Returns the reason why the relay ended by itself: an error, or tables that were moved to another engine. */
    Optional<String> failure();

    /** Whether the relay runs. */
    @Override
    boolean isRunning();
}
