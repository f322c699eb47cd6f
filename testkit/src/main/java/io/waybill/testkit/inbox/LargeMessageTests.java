package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.admin.EventFilter;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.inbox.VersionGuard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Long keys, large payloads, and values that a column cannot hold. */
interface LargeMessageTests<T> extends InboxTests<T> {
    /** If the failure of such a message could not be recorded, its partition would stop. */
    @Test
    default void aKeyOfAnyLengthCanFailAndBeRetried() {
        List<String> keys = List.of(
                "k".repeat(600),
                "k".repeat(600) + "2", // the same prefix
                incompressible(3_000, 64, 'A'),
                incompressible(500, 4_096, 0x20000), // four bytes per character
                incompressible(200_000, 64, 'A'));
        for (int i = 0; i < keys.size(); i++) {
            String key = keys.get(i);
            failing().add("first-" + i);
            ReceivedMessage first = longKey(key, "first-" + i);
            InboxOutcome outcome = inbox().handle(first);
            assertThat(inbox().handle(Messages.of("other", "other-" + i))).isEqualTo(InboxOutcome.PROCESSED);
            if (outcome == InboxOutcome.DEAD_LETTERED) { // the database cannot store this key
                assertThat(key.length()).as("length of a key that is shortened").isGreaterThan(60_000);
                assertThat(inbox().handle(first)).as("redelivered").isEqualTo(InboxOutcome.DUPLICATE);
                assertThat(backend().deadLetters().list("stock", EventFilter.ALL, 10))
                        .singleElement()
                        .satisfies(letter -> {
                            assertThat(letter.error())
                                    .contains("first-4 fails for now")
                                    .contains("shortened");
                            assertThat(letter.message().value()).isEqualTo(first.value());
                        });
                continue;
            }
            assertThat(outcome).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
            assertThat(inbox().handle(longKey(key, "second-" + i))).isEqualTo(InboxOutcome.PARKED);
        }
        failing().clear();
        backend().age(Duration.ofMinutes(1));
        inbox().runDue();
        for (int i = 0; i < 4; i++) {
            assertThat(ledger("stock")).containsSubsequence("first-" + i, "second-" + i);
        }
        assertThat(backend().view().status("stock").retrying()).isZero();
        assertThat(backend().view().status("stock").parked()).isZero();
    }

    @Test
    default void versionsOfALongKeyAreGuarded() {
        Inbox<T> guarded = builder("guarded").versions(VersionGuard.SKIP_STALE).build();
        String key = incompressible(3_000, 64, 'A');
        assertThat(guarded.handle(longKey(key, "v2", 2))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(guarded.handle(longKey(key, "v1", 1))).isEqualTo(InboxOutcome.STALE);
        assertThat(guarded.handle(longKey(key + "x", "w1", 1))).isEqualTo(InboxOutcome.PROCESSED);
    }

    @Test
    default void aLargeEventIsRetriedUnchanged() {
        String big = "a".repeat(3_000_000);
        List<Integer> lengths = new ArrayList<>();
        Inbox<T> large = Inbox.builder(backend().store(), "large")
                .on(Messages.TYPE, (transaction, event) -> {
                    lengths.add(Messages.text(event).length());
                    if (lengths.size() == 1) {
                        throw new IllegalStateException("fails for now");
                    }
                })
                .retry(THREE_ATTEMPTS)
                .build();
        assertThat(large.handle(Messages.of("1", big))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        backend().age(Duration.ofMinutes(1));
        assertThat(large.runDue()).isEqualTo(1);
        assertThat(lengths).containsExactly(big.length(), big.length());
    }

    /** The type of the event is longer than the column of some databases. */
    @Test
    default void anEventThatTheDatabaseRejectsBecomesAShortenedDeadLetter() {
        Inbox<T> strict =
                builder("strict").onUnknownType(InboxBuilder.Unknown.REFUSE).build();
        Event odd = Event.builder("t".repeat(2_000_000), "Order", "1")
                .topic(Messages.TOPIC)
                .payload("{}")
                .restore();
        ReceivedMessage message = Messages.of(odd);
        assertThat(strict.handle(message)).isEqualTo(InboxOutcome.DEAD_LETTERED);
        assertThat(strict.handle(message)).as("redelivered").isEqualTo(InboxOutcome.DUPLICATE);
        assertThat(strict.handle(Messages.of("1", "next"))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(backend().deadLetters().find("strict", odd.id()))
                .hasValueSatisfying(
                        letter -> assertThat(letter.message().value()).isEqualTo(message.value()));
    }

    private static ReceivedMessage longKey(String key, String text) {
        return Messages.of(Event.builder(Messages.TYPE, "Order", key)
                .topic(Messages.TOPIC)
                .payload("\"" + text + "\"")
                .restore());
    }

    private static ReceivedMessage longKey(String key, String text, long version) {
        return Messages.of(Event.builder(Messages.TYPE, "Order", key)
                .topic(Messages.TOPIC)
                .aggregateVersion(version)
                .payload("\"" + text + "\"")
                .restore());
    }

    private static String incompressible(int characters, int alphabet, int first) {
        Random random = new Random(42);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < characters; i++) {
            text.appendCodePoint(first + random.nextInt(alphabet));
        }
        return text.toString();
    }
}
