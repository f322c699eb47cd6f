package io.waybill.spring.internal.inbox;

import io.waybill.inbox.Handler;
import io.waybill.retry.RetryPolicy;
import io.waybill.spring.InboxHandler;
import io.waybill.spring.internal.start.StartFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * The attributes of an {@link InboxHandler}, parsed.
 *
 * @param maxAttempts null when the handler does not set it
 */
record HandlerSettings(
        @Nullable Duration timeout,
        @Nullable Integer maxAttempts,
        @Nullable Duration backoff) {

    /** @param place the handler, as it is named in an error message */
    static HandlerSettings of(InboxHandler rule, String place) {
        if (rule.maxAttempts() < 0) {
            throw new StartFailure(
                    "The @InboxHandler " + place + " has maxAttempts = " + rule.maxAttempts() + ".",
                    "Set it to 1 or more, or remove it.");
        }
        return new HandlerSettings(
                duration(rule.timeout(), "timeout", place),
                rule.maxAttempts() == 0 ? null : rule.maxAttempts(),
                duration(rule.backoff(), "backoff", place));
    }

    private static @Nullable Duration duration(String text, String attribute, String place) {
        if (text.isBlank()) {
            return null;
        }
        try {
            Duration value = DurationStyle.detectAndParse(text);
            if (!value.isNegative() && !value.isZero()) {
                return value;
            }
        } catch (IllegalArgumentException e) {
            // reported below
        }
        throw new StartFailure(
                "The @InboxHandler " + place + " has " + attribute + " = \"" + text
                        + "\", which is no positive duration.",
                "Write it as 500ms, 10s or 2m.");
    }

    /** Returns the handler, whose statements end at the time limit if there is one. */
    <T> Handler<T> limited(Handler<T> handler) {
        return timeout == null ? handler : new TimeLimit(timeout).of(handler);
    }

    /**
     * Returns the retry policy of an event type, or null when none of its handlers sets one.
     *
     * @param handlers settings of all handlers of the type; they share one transaction, and so one policy
     */
    static @Nullable RetryPolicy retry(String type, Collection<HandlerSettings> handlers, RetryPolicy otherwise) {
        Integer attempts = only(type, "maxAttempts", handlers, HandlerSettings::maxAttempts);
        Duration first = only(type, "backoff", handlers, HandlerSettings::backoff);
        if (attempts == null && first == null) {
            return null;
        }
        Duration delay = first == null ? otherwise.firstDelay() : first;
        Duration longest = otherwise.longestDelay();
        return new RetryPolicy(
                attempts == null ? otherwise.maxAttempts() : attempts,
                delay,
                longest.compareTo(delay) < 0 ? delay : longest);
    }

    private static <V> @Nullable V only(
            String type,
            String attribute,
            Collection<HandlerSettings> handlers,
            Function<HandlerSettings, @Nullable V> value) {
        List<V> values = new ArrayList<>();
        for (HandlerSettings handler : handlers) {
            V set = value.apply(handler);
            if (set != null && !values.contains(set)) {
                values.add(set);
            }
        }
        if (values.size() > 1) {
            throw new StartFailure(
                    "The handlers of event type " + type + " set different values of " + attribute + ": " + values
                            + ". They run in one transaction, which succeeds or fails as a whole.",
                    "Set " + attribute + " on one of them, or to the same value on all.");
        }
        return values.isEmpty() ? null : values.get(0);
    }
}
