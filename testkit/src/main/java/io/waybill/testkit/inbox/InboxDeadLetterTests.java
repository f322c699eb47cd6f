package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.admin.EventFilter;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.ReceivedMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Listing, replaying and discarding dead letters. */
interface InboxDeadLetterTests<T> extends InboxTests<T> {
    @Test
    default void aReplayReachesItsOwnGroupOnlyAndKeepsTheEventId() {
        permanentlyFailing().add("a");
        Inbox<T> mail = builder("mail").build();
        ReceivedMessage message = Messages.of("1", "a");
        UUID id = giveUp(inbox(), message);
        giveUp(mail, message);
        permanentlyFailing().clear();

        InboxDeadLetters letters = backend().deadLetters();
        assertThat(letters.replay("stock", List.of(id, UUID.randomUUID()), DECISION))
                .containsExactly(id);
        assertThat(letters.replay("stock", List.of(id), DECISION))
                .as("second replay")
                .isEmpty();
        assertThat(inbox().handle(message))
                .as("redelivered while the replay is due")
                .isEqualTo(InboxOutcome.PARKED);
        assertThat(inbox().runDue()).isEqualTo(1);
        assertThat(mail.runDue()).isZero();
        assertThat(backend().ledger()).containsExactly("stock a");
        assertThat(inbox().handle(message)).isEqualTo(InboxOutcome.DUPLICATE);
        assertThat(letters.find("stock", id)).isEmpty();
        assertThat(letters.find("mail", id)).isPresent();
        assertThat(letters.history("stock", id)).singleElement().satisfies(entry -> {
            assertThat(entry.action()).isEqualTo("replay");
            assertThat(entry.actor()).isEqualTo("ada");
            assertThat(entry.reason()).isEqualTo("fixed in 1.2");
            assertThat(entry.events()).isEqualTo(1);
        });
    }

    @Test
    default void replayedEventsOfAKeyKeepTheirOrder() {
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            permanentlyFailing().add("a" + i);
            ids.add(giveUp(inbox(), Messages.of("1", "a" + i)));
        }
        permanentlyFailing().clear();
        List<UUID> backwards = new ArrayList<>(ids);
        Collections.reverse(backwards);
        assertThat(backend().deadLetters().replay("stock", backwards, DECISION)).containsExactlyElementsOf(ids);
        assertThat(inbox().handle(Messages.of("1", "later"))).isEqualTo(InboxOutcome.PARKED);
        assertThat(inbox().runDue()).isEqualTo(6);
        assertThat(backend().ledger())
                .containsExactly("stock a0", "stock a1", "stock a2", "stock a3", "stock a4", "stock later");
    }

    @Test
    default void aReplayThatFailsAgainIsADeadLetterAgain() {
        permanentlyFailing().add("a");
        UUID id = giveUp(inbox(), Messages.of("1", "a"));
        backend().deadLetters().replay("stock", List.of(id), DECISION);
        inbox().runDue();
        assertThat(backend().deadLetters().find("stock", id)).isPresent();
        assertThat(backend().appended()).as("messages on the dead-letter topic").hasSize(2);
    }

    @Test
    default void anActionAboveTheLimitIsRejected() {
        List<UUID> many = new ArrayList<>();
        for (int i = 0; i <= InboxDeadLetters.LARGEST_BULK; i++) {
            many.add(new UUID(0, i));
        }
        assertThatThrownBy(() -> backend().deadLetters().replay("stock", many, DECISION))
                .hasMessageContaining("1001")
                .hasMessageContaining("at most 1000");
        assertThatThrownBy(() -> backend().deadLetters().discard("stock", many, DECISION))
                .hasMessageContaining("1000");
    }

    @Test
    default void aDiscardedDeadLetterIsNotProcessedAgain() {
        permanentlyFailing().add("a");
        ReceivedMessage message = Messages.of("1", "a");
        UUID id = giveUp(inbox(), message);
        assertThat(backend().deadLetters().discard("stock", List.of(id), DECISION))
                .containsExactly(id);
        permanentlyFailing().clear();
        assertThat(inbox().handle(message)).isEqualTo(InboxOutcome.DUPLICATE);
        assertThat(backend().deadLetters().replay("stock", List.of(id), DECISION))
                .isEmpty();
        assertThat(backend().deadLetters().history("stock", id)).hasSize(1);
        assertThat(backend().view().status("stock").deadLetters()).isZero();
    }

    @Test
    default void deadLettersAreListedByGroupTypeKeyAndAge() {
        permanentlyFailing().addAll(List.of("a", "b"));
        giveUp(inbox(), Messages.of("1", "a"));
        backend().age(Duration.ofHours(2));
        giveUp(builder("mail").build(), Messages.of("2", "b"));
        InboxDeadLetters letters = backend().deadLetters();
        assertThat(letters.list(null, EventFilter.ALL, 10))
                .extracting(DeadLetter::group)
                .containsExactly("stock", "mail");
        assertThat(letters.list("mail", EventFilter.ALL, 10)).hasSize(1);
        assertThat(letters.list(null, EventFilter.ALL.key("1"), 10)).hasSize(1);
        assertThat(letters.list(null, EventFilter.ALL.type("other"), 10)).isEmpty();
        assertThat(letters.list(null, EventFilter.ALL.olderThan(Duration.ofHours(1)), 10))
                .hasSize(1);
        assertThat(letters.list(null, EventFilter.ALL.youngerThan(Duration.ofHours(1)), 10))
                .hasSize(1);
        assertThat(letters.list(null, EventFilter.ALL, 1)).hasSize(1);
        assertThat(backend().view().status()).extracting(s -> s.group()).containsExactly("mail", "stock");
    }
}
