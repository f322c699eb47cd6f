package io.waybill.inbox.internal.consumer;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import java.time.Duration;
import java.util.Optional;

/** An inbox must remember an event for longer than the broker can redeliver it, including retries. */
public final class RetentionRule {
    /** The retention of a broker that keeps messages without a limit. */
    public static final Duration FOREVER = InboxBuilder.FOREVER;

    private RetentionRule() {}

    /**
     * Returns the problem and its remedy, or empty if the inbox remembers events for long enough.
     *
     * @param place the topic or stream, as in "Topic orders"
     * @param longest how long after its publication the broker can deliver a message
     */
    public static Optional<String> problem(Inbox<?> inbox, String place, Duration longest) {
        boolean forever = longest.compareTo(FOREVER) >= 0;
        Duration needed = forever ? FOREVER : longest.plus(inbox.longestRetry());
        if (inbox.retention().compareTo(needed) >= 0) {
            return Optional.empty();
        }
        return Optional.of(
                place + (forever ? " keeps messages without a time limit" : " can deliver a message for " + longest)
                        + ", but group " + inbox.group() + " remembers processed events for " + inbox.retention()
                        + ": a late redelivery would be applied twice. Set the inbox's retention to "
                        + (forever ? "InboxBuilder.FOREVER" : needed + " or more")
                        + ", or limit how long the broker keeps messages.");
    }
}
