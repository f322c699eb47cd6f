package io.waybill.inbox.internal.handling;

import io.waybill.Outbox;
import io.waybill.inbox.FailureKind;
import io.waybill.inbox.Handler;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.InboxTracer;
import io.waybill.inbox.VersionGuard;
import io.waybill.retry.RetryPolicy;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The validated settings of an {@link InboxBuilder}. */
public record InboxSettings<T>(
        String group,
        String service,
        Map<String, Handler<T>> handlers,
        InboxBuilder.Unknown unknown,
        RetryPolicy retry,
        Map<String, RetryPolicy> retries,
        VersionGuard guard,
        Function<Throwable, FailureKind> classify,
        @Nullable Outbox<T> deadLetters,
        Duration retention,
        InboxBuilder.Late late,
        int pauseAfter,
        Duration longestPause,
        InboxListener listener,
        InboxTracer tracer,
        Ticker ticker) {

    /** Returns the retry policy of the event type, or the group's when it has none of its own. */
    RetryPolicy retryOf(String eventType) {
        return retries.getOrDefault(eventType, retry);
    }
}
