package io.waybill.spring;

import io.waybill.inbox.Inbox;
import java.util.Optional;
import java.util.Set;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the application's inbox. It starts after the web server and before the relay, and stops after the relay. Without an
 * {@link InboxHandler} it does nothing and needs no tables.
 */
public interface InboxConsumer extends SmartLifecycle {
    /** Returns the consumer group. The start fails when there are handlers and no name for the group. */
    String group();

    /** Whether the application consumes events while it runs. */
    boolean isEnabled();

    /** Returns the types of events that have a handler, sorted. */
    Set<String> handledTypes();

    /** Whether the application has handlers. */
    default boolean hasHandlers() {
        return !handledTypes().isEmpty();
    }

    /** Returns the inbox; empty when the application has no handlers. */
    Optional<Inbox<?>> inbox();

    /** Whether the consumer runs: false also when an error has ended it. */
    @Override
    boolean isRunning();
}
