package io.waybill.inbox;

import static java.util.Objects.requireNonNull;

import io.waybill.Outbox;
import io.waybill.WaybillException;
import io.waybill.inbox.internal.handling.GuardedListener;
import io.waybill.inbox.internal.handling.GuardedTracer;
import io.waybill.inbox.internal.handling.InboxSettings;
import io.waybill.retry.RetryPolicy;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Handlers and settings of an {@link Inbox}. Only handlers are required. */
public final class InboxBuilder<T> {
    /** Five attempts, 1, 2, 4 and 8 seconds apart. */
    public static final RetryPolicy DEFAULT_RETRY = new RetryPolicy(5, Duration.ofSeconds(1), Duration.ofSeconds(16));

    /**
     * The default of {@link #retention}: 15 days. A Kafka topic with default settings can deliver a message for 14 days. It keeps closed
     * segments for 7 days, and it closes a segment up to 7 days after a message was written to it.
     */
    public static final Duration DEFAULT_MARK_RETENTION = Duration.ofDays(15);

    /** A value for {@link #retention} if topics keep messages without a limit: a hundred years. */
    public static final Duration FOREVER = Duration.ofDays(36_500);

    private static final int LONGEST_GROUP = 255;

    private final InboxStore<T> store;
    private final String group;
    private final Map<String, Handler<T>> handlers = new LinkedHashMap<>();
    private InboxTransactions<T> transactions;
    private @Nullable String service;
    private Unknown unknown = Unknown.SKIP;
    private RetryPolicy retry = DEFAULT_RETRY;
    private final Map<String, RetryPolicy> retries = new LinkedHashMap<>();
    private VersionGuard guard = VersionGuard.OFF;
    private Function<Throwable, FailureKind> classify = InboxBuilder::classified;
    private @Nullable Outbox<T> deadLetters;
    private Duration retention = DEFAULT_MARK_RETENTION;
    private Late late = Late.APPLY;
    private int pauseAfter = 10;
    private Duration longestPause = Duration.ofSeconds(10);
    private InboxListener listener = InboxListener.NONE;
    private InboxTracer tracer = InboxTracer.NONE;
    private Ticker ticker = Ticker.SYSTEM;

    /** What happens to events of a type without a handler. */
    public enum Unknown {
        /** They are acknowledged without any effect. */
        SKIP,
        /**
         * They are retried like events whose handler fails, and become dead letters after the last attempt. A version of the service that
         * has a handler for them may be deployed before that.
         */
        RETRY,
        /** They become dead letters at once. */
        REFUSE
    }

    /** What happens to an event that is older than the retention, so that it may have been processed before. */
    public enum Late {
        APPLY,
        DEAD_LETTER
    }

    InboxBuilder(InboxStore<T> store, String group) {
        this.store = requireNonNull(store, "store");
        this.transactions = store;
        this.group = requireNonNull(group, "group");
    }

    /** Sets the handler for events of this type. */
    public InboxBuilder<T> on(String eventType, Handler<T> handler) {
        requireNonNull(handler, "handler");
        if (handlers.put(requireNonNull(eventType, "eventType"), handler) != null) {
            throw new WaybillException("Event type " + eventType + " has two handlers in group " + group
                    + ". Call both from one handler, so that they share its transaction.");
        }
        return this;
    }

    /** Runs handlers in these transactions instead of the store's own. Each must be a new transaction of the store's database. */
    public InboxBuilder<T> transactions(InboxTransactions<T> transactions) {
        this.transactions = requireNonNull(transactions, "transactions");
        return this;
    }

    /** The name of this service in dead letters. Default: the name of the group. */
    public InboxBuilder<T> service(String name) {
        this.service = requireNonNull(name, "name");
        return this;
    }

    public InboxBuilder<T> onUnknownType(Unknown decision) {
        this.unknown = requireNonNull(decision, "decision");
        return this;
    }

    public InboxBuilder<T> retry(RetryPolicy policy) {
        this.retry = requireNonNull(policy, "policy");
        return this;
    }

    /** Sets the retry policy for events of one type; all others use that of {@link #retry(RetryPolicy)}. */
    public InboxBuilder<T> retry(String eventType, RetryPolicy policy) {
        retries.put(requireNonNull(eventType, "eventType"), requireNonNull(policy, "policy"));
        return this;
    }

    public InboxBuilder<T> versions(VersionGuard guard) {
        this.guard = requireNonNull(guard, "guard");
        return this;
    }

    /**
     * Classifies the exceptions of handlers. If the function returns null, or is not set, a {@link PermanentException} is permanent and
     * every other exception is transient. The function does not receive errors from which the store detects that its database does not
     * answer.
     */
    public InboxBuilder<T> classify(Function<Throwable, @Nullable FailureKind> errors) {
        requireNonNull(errors, "errors");
        this.classify = error -> {
            FailureKind verdict = errors.apply(error);
            return verdict == null ? classified(error) : verdict;
        };
        return this;
    }

    /** Also publishes dead letters through this outbox, to the topic {@code {topic}.dlt}. By default they are only kept in the inbox. */
    public InboxBuilder<T> deadLettersTo(Outbox<T> outbox) {
        this.deadLetters = requireNonNull(outbox, "outbox");
        return this;
    }

    /**
     * How long processed events are remembered (default 15 days). Must exceed the retention of the broker plus the longest retry.
     */
    public InboxBuilder<T> retention(Duration age) {
        this.retention = requireNonNull(age, "age");
        return this;
    }

    public InboxBuilder<T> onLateEvent(Late decision) {
        this.late = requireNonNull(decision, "decision");
        return this;
    }

    /** The number of different events that must fail in a row before the group pauses (default 10). */
    public InboxBuilder<T> pauseAfter(int failingEvents) {
        this.pauseAfter = failingEvents;
        return this;
    }

    /** Longest time between two probes of a paused group (default 10 s). */
    public InboxBuilder<T> longestPause(Duration pause) {
        this.longestPause = requireNonNull(pause, "pause");
        return this;
    }

    public InboxBuilder<T> listener(InboxListener listener) {
        this.listener = requireNonNull(listener, "listener");
        return this;
    }

    public InboxBuilder<T> tracer(InboxTracer tracer) {
        this.tracer = requireNonNull(tracer, "tracer");
        return this;
    }

    /** Replaces the monotonic clock, for tests. */
    public InboxBuilder<T> ticker(Ticker ticker) {
        this.ticker = requireNonNull(ticker, "ticker");
        return this;
    }

    public Inbox<T> build() {
        if (group.isBlank() || group.length() > LONGEST_GROUP) {
            throw new WaybillException("A consumer group's name must have 1 to " + LONGEST_GROUP + " characters.");
        }
        if (handlers.isEmpty()) {
            throw new WaybillException("Group " + group + " has no handlers. Add one with on(eventType, handler).");
        }
        if (pauseAfter < 1) {
            throw new WaybillException("pauseAfter must be 1 or more, not " + pauseAfter + ".");
        }
        positive("retention", retention);
        positive("longest pause", longestPause);
        return new Inbox<>(
                store,
                transactions,
                new InboxSettings<>(
                        group,
                        service == null ? group : service,
                        Map.copyOf(handlers),
                        unknown,
                        retry,
                        Map.copyOf(retries),
                        guard,
                        classify,
                        deadLetters,
                        retention,
                        late,
                        pauseAfter,
                        longestPause,
                        new GuardedListener(listener, group, ticker),
                        GuardedTracer.of(tracer),
                        ticker));
    }

    private static FailureKind classified(Throwable error) {
        return error instanceof PermanentException ? FailureKind.PERMANENT : FailureKind.TRANSIENT;
    }

    private static void positive(String what, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new WaybillException("The " + what + " must be positive, not " + value + ".");
        }
    }
}
