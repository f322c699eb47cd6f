package io.waybill.spring.internal.inbox;

import io.waybill.inbox.Inbox;
import io.waybill.spring.InboxConsumer;
import io.waybill.spring.InboxFeed;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The consumer of the application's own handlers. */
final class ApplicationInbox implements InboxConsumer {
    /** After web servers ({@code DEFAULT_PHASE - 1024} and less), so that they stop later. */
    private static final int PHASE = DEFAULT_PHASE - 513;

    private final Supplier<String> group;
    private final boolean enabled;
    private final InboxHandlers<?> handlers;
    private final Supplier<Inbox<?>> inboxes;
    private final Supplier<InboxFeed> feed;
    private @Nullable Inbox<?> inbox;
    private @Nullable AutoCloseable open;

    ApplicationInbox(
            Supplier<String> group,
            boolean enabled,
            InboxHandlers<?> handlers,
            Supplier<Inbox<?>> inboxes,
            Supplier<InboxFeed> feed) {
        this.group = group;
        this.enabled = enabled;
        this.handlers = handlers;
        this.inboxes = inboxes;
        this.feed = feed;
    }

    @Override
    public String group() {
        return group.get();
    }

    @Override
    public boolean isEnabled() {
        return enabled && hasHandlers();
    }

    @Override
    public Set<String> handledTypes() {
        return new TreeSet<>(handlers.byType().keySet());
    }

    @Override
    public synchronized Optional<Inbox<?>> inbox() {
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
        // Closes outside the lock: a running handler may call inbox(), and close() waits for that handler.
        if (closing != null) {
            try {
                closing.close();
            } catch (Exception e) {
                throw new IllegalStateException("Cannot stop the inbox: " + e.getMessage(), e);
            }
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return open != null && (inbox == null || inbox.isRunning());
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
