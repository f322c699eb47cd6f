package io.waybill.inbox.internal;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import java.time.Duration;
import java.util.Optional;

/** The rule that an inbox remembers an event for longer than the broker can deliver it again, retries included. */
public final class RetentionRule {
    /** The retention of a broker that keeps messages without a limit. */
    public static final Duration FOREVER = InboxBuilder.FOREVER;

    private RetentionRule() {}

    /**
     * Returns the problem and its remedy; empty if the inbox remembers events for long enough.
     *
     * @param place name of the topic or stream for the message, such as "Topic orders"
     * @param longest how long after its publication the broker can deliver a message
     */
    public static Optional<String> problem(Inbox<?> inbox, String place, Duration longest) {
        boolean forever = longest.compareTo(FOREVER) >= 0;
        Duration needed = forever ? FOREVER : longest.plus(inbox.longestRetry());
        if (inbox.retention().compareTo(needed) >= 0) {
            return Optional.empty();
        }
        return Optional.of(place + " can deliver a message " + (forever ? "forever" : "for " + longest) + ", but group "
                + inbox.group() + " remembers processed events for only " + inbox.retention()
                + ": a late redelivery would be applied twice. Set the inbox's retention to "
                + (forever ? "InboxBuilder.FOREVER" : needed + " or more")
                + ", or limit how long the broker keeps messages.");
    }
}
