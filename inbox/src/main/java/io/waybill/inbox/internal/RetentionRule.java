package io.waybill.inbox.internal;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import java.time.Duration;
import java.util.Optional;

/** An inbox must remember an event for longer than the broker can deliver it again, retries included. */
public final class RetentionRule {
    /** What a broker keeps without a limit. */
    public static final Duration FOREVER = InboxBuilder.FOREVER;

    private RetentionRule() {}

    /**
     * Returns what is wrong and the remedy; empty when the inbox remembers events for long enough.
     *
     * @param place the topic or stream in words, as in "Topic orders"
     * @param longest how long after its publication the broker can still deliver a message
     */
    public static Optional<String> problem(Inbox<?> inbox, String place, Duration longest) {
        boolean forever = longest.compareTo(FOREVER) >= 0;
        Duration needed = forever ? FOREVER : longest.plus(inbox.longestRetry());
        if (inbox.retention().compareTo(needed) >= 0) {
            return Optional.empty();
        }
        return Optional.of(
                place + " can deliver a message " + (forever ? "for ever" : "for " + longest) + ", but group "
                        + inbox.group() + " remembers what it has processed for " + inbox.retention()
                        + ": a late redelivery would be applied twice. Set the inbox's retention to "
                        + (forever ? "InboxBuilder.FOREVER" : needed + " or more")
                        + ", or limit how long the broker keeps messages.");
    }
}
