package io.waybill.spring;

import io.waybill.inbox.Inbox;
import java.sql.Connection;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * The application's inbox: starts before the relay and after the web server, ends after the relay. Without an
 * {@link InboxHandler} there is nothing to do, and no tables are needed.
 */
public final class InboxConsumer implements SmartLifecycle {
    /** After web servers ({@code DEFAULT_PHASE - 1024} and less), so that they stop later. */
    static final int PHASE = DEFAULT_PHASE - 513;

    private final Supplier<String> group;
    private final boolean enabled;
    private final InboxHandlers handlers;
    private final Supplier<Inbox<Connection>> inboxes;
    private final Supplier<InboxFeed> feed;
    private @Nullable Inbox<Connection> inbox;
    private @Nullable AutoCloseable open;

    InboxConsumer(
            Supplier<String> group,
            boolean enabled,
            InboxHandlers handlers,
            Supplier<Inbox<Connection>> inboxes,
            Supplier<InboxFeed> feed) {
        this.group = group;
        this.enabled = enabled;
        this.handlers = handlers;
        this.inboxes = inboxes;
        this.feed = feed;
    }

    /** The consumer group; the start fails when there are handlers and no name for it. */
    public String group() {
        return group.get();
    }

    /** Whether it consumes when the application runs. */
    public boolean isEnabled() {
        return enabled && hasHandlers();
    }

    /** Whether the application has handlers at all. */
    public boolean hasHandlers() {
        return !handlers.byType().isEmpty();
    }

    Set<String> handledTypes() {
        return new TreeSet<>(handlers.byType().keySet());
    }

    /** The inbox; empty when the application has no handlers. */
    public synchronized Optional<Inbox<Connection>> inbox() {
        if (inbox == null && hasHandlers()) {
            inbox = inboxes.get();
        }
        return Optional.ofNullable(inbox);
    }

    @Override
    public synchronized void start() {
        if (open == null && isEnabled()) {
            open = feed.get().open(inbox().orElseThrow());
        }
    }

    /** Waits for the handlers that run. A start after that begins anew. */
    @Override
    public void stop() {
        AutoCloseable closing;
        synchronized (this) {
            closing = open;
            open = null;
            inbox = null;
        }
        if (closing != null) { // outside of the lock: a handler that asks for the inbox must not wait for its own end
            try {
                closing.close();
            } catch (Exception e) {
                throw new IllegalStateException("The inbox did not stop: " + e.getMessage(), e);
            }
        }
    }

    /** False as well when an error has ended the consumer. */
    @Override
    public synchronized boolean isRunning() {
        return open != null && (inbox == null || inbox.isRunning());
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
