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
 * Runs the application's inbox. It starts after the web server and before the relay, and stops after the relay. Without an
 * {@link InboxHandler} it does nothing and needs no tables.
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

    /** Returns the consumer group. The start fails when there are handlers and no name for the group. */
    public String group() {
        return group.get();
    }

    /** Whether the application consumes events while it runs. */
    public boolean isEnabled() {
        return enabled && hasHandlers();
    }

    /** Whether the application has handlers. */
    public boolean hasHandlers() {
        return !handlers.byType().isEmpty();
    }

    Set<String> handledTypes() {
        return new TreeSet<>(handlers.byType().keySet());
    }

    /** Returns the inbox; empty when the application has no handlers. */
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

    /** Waits for running handlers. A later start creates a new inbox. */
    @Override
    public void stop() {
        AutoCloseable closing;
        synchronized (this) {
            closing = open;
            open = null;
            inbox = null;
        }
        if (closing
                != null) { // outside the lock: a running handler may call inbox(), and close() waits for that handler
            try {
                closing.close();
            } catch (Exception e) {
                throw new IllegalStateException("Cannot stop the inbox: " + e.getMessage(), e);
            }
        }
    }

    /** Whether the consumer runs: false also when an error has ended it. */
    @Override
    public synchronized boolean isRunning() {
        return open != null && (inbox == null || inbox.isRunning());
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
