package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Headers;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.inbox.Handler;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.retry.RetryPolicy;
import io.waybill.testkit.time.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The inbox under test, as the test interfaces of {@link InboxContract} and {@link InboxOperatorContract} see it. */
interface InboxTests<T> {
    RetryPolicy THREE_ATTEMPTS = new RetryPolicy(3, Duration.ofSeconds(10), Duration.ofMinutes(1));

    Decision DECISION = new Decision("ada", "fixed in 1.2");

    InboxBackend<T> backend();

    /** The inbox of the group {@code stock}. */
    Inbox<T> inbox();

    /** The clock of all inboxes that {@link #builder} makes. */
    ManualClock clock();

    /** Texts of events whose handler fails, but would succeed if the text were removed from this set. */
    Set<String> failing();

    /** Texts of events whose handler fails permanently. */
    Set<String> permanentlyFailing();

    /** Writes a line to the ledger, then fails if the text of the event is in {@link #failing()} or {@link #permanentlyFailing()}. */
    Handler<T> handler(String prefix);

    default InboxBuilder<T> builder(String group) {
        return Inbox.builder(backend().store(), group)
                .on(Messages.TYPE, handler(group + " "))
                .deadLettersTo(backend().outbox())
                .pauseAfter(1_000)
                .ticker(clock())
                .retry(THREE_ATTEMPTS);
    }

    /** Returns the texts that the handler of this group wrote, in order. */
    default List<String> ledger(String group) {
        return backend().ledger().stream()
                .filter(line -> line.startsWith(group + " "))
                .map(line -> line.substring(group.length() + 1))
                .toList();
    }

    /** Handles a message that becomes a dead letter, and returns its event id. */
    default UUID giveUp(Inbox<T> inbox, ReceivedMessage message) {
        assertThat(inbox.handle(message)).isEqualTo(InboxOutcome.DEAD_LETTERED);
        return UUID.fromString(message.headers().getOrDefault(Headers.EVENT_ID, ""));
    }
}
