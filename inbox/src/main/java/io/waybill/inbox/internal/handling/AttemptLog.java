package io.waybill.inbox.internal.handling;

import io.waybill.Event;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.Inbox;
import io.waybill.internal.LogText;
import io.waybill.time.Ticker;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs one line for each failed attempt, with the stack trace of the first and the last attempt. The rate is limited, so that a group
 * in which every event fails does not flood the log; the next line reports how many lines were suppressed. Dead letters are always
 * logged, but without a stack trace if there are too many.
 */
final class AttemptLog {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);
    private static final int BURST = 20;
    private static final double NANOS_PER_LINE = 1e9;

    private final String group;
    private final Ticker ticker;
    private double lines = BURST;
    private long filledAt;
    private long suppressed;

    AttemptLog(String group, Ticker ticker) {
        this.group = group;
        this.ticker = ticker;
        this.filledAt = ticker.nanos();
    }

    void failed(
            Event event, int attempt, int maxAttempts, boolean counted, Duration delay, String error, Throwable cause) {
        long missing = take();
        if (missing < 0) {
            LOG.debug("Group {}: the handler of {} failed", group, event, cause);
            return;
        }
        String line = "Group " + group + ": attempt " + attempt + " of " + maxAttempts
                + (counted ? "" : " (not counted)") + " failed for event " + event.id() + " (type "
                + event.type() + ", key " + event.key() + "): " + error + " Next attempt in "
                + delay.toMillis() / 1_000.0 + " s."
                + (missing == 0 ? "" : " " + missing + " more failed attempts were not logged.");
        LOG.warn("{}", LogText.oneLine(line), attempt == 1 ? cause : null);
    }

    void gaveUp(DeadLetter letter, @Nullable Throwable cause) {
        boolean trace = take() >= 0;
        LOG.warn(
                "Group {} gave up on event {} of type {} (key {}) after {}: {}",
                group,
                letter.eventId(),
                letter.eventType().isEmpty() ? "unknown" : LogText.oneLine(letter.eventType()),
                LogText.oneLine(String.valueOf(letter.message().key())),
                letter.attempts() == 1 ? "1 attempt" : letter.attempts() + " attempts",
                LogText.oneLine(letter.error()),
                trace ? cause : null);
    }

    /** Returns the number of lines suppressed since the last one, or -1 if this line must be suppressed. */
    private synchronized long take() {
        long now = ticker.nanos();
        lines = Math.min(BURST, lines + (now - filledAt) / NANOS_PER_LINE);
        filledAt = now;
        if (lines < 1) {
            suppressed++;
            return -1;
        }
        lines--;
        long missing = suppressed;
        suppressed = 0;
        return missing;
    }
}
