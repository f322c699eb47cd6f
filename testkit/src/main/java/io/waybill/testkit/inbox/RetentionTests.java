package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.inbox.VersionGuard;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Deleting old marks, and events that arrive after their mark was deleted. */
interface RetentionTests<T> extends InboxTests<T> {
    @Test
    default void retentionRemovesOldMarksInChunksAndKeepsDeadLetters() {
        permanentlyFailing().add("dead");
        inbox().handle(Messages.of("9", "dead"));
        for (int i = 0; i < 5; i++) {
            inbox().handle(Messages.of("1", "a" + i));
        }
        assertThat(inbox().prune(3)).isZero();
        backend().age(Duration.ofDays(16));
        inbox().handle(Messages.of("1", "new"));
        assertThat(inbox().prune(3)).isEqualTo(3);
        assertThat(inbox().prune(3)).isEqualTo(2);
        assertThat(backend().marks("stock")).isEqualTo(2);
        assertThat(backend().view().status("stock").deadLetters()).isEqualTo(1);
    }

    @Test
    default void aDuplicateAfterTheRetentionIsAppliedOrDeadLetteredAsConfigured() {
        ReceivedMessage old = Messages.of(Messages.event("1", "old")
                .occurredAt(Instant.now().minus(Duration.ofDays(20)))
                .build());
        Inbox<T> careful =
                builder("careful").onLateEvent(InboxBuilder.Late.DEAD_LETTER).build();
        assertThat(inbox().handle(old)).isEqualTo(InboxOutcome.PROCESSED);
        backend().age(Duration.ofDays(16));
        inbox().prune(100);
        assertThat(inbox().handle(old))
                .as("duplicate after its mark was deleted")
                .isEqualTo(InboxOutcome.PROCESSED);
        assertThat(careful.handle(old)).isEqualTo(InboxOutcome.DEAD_LETTERED);
        assertThat(ledger("careful")).isEmpty();
    }

    @Test
    default void aLateEventIsAppliedWhenAnOperatorReplaysIt() {
        Inbox<T> careful =
                builder("careful").onLateEvent(InboxBuilder.Late.DEAD_LETTER).build();
        Event old = late("1", "old");
        assertThat(careful.handle(Messages.of(old))).isEqualTo(InboxOutcome.DEAD_LETTERED);
        assertThat(backend().deadLetters().replay("careful", List.of(old.id()), new Decision("ada", "it is new")))
                .hasSize(1);
        assertThat(careful.handle(Messages.of(old)))
                .as("redelivered while the replay is due")
                .isEqualTo(InboxOutcome.PARKED);
        assertThat(careful.runDue()).isEqualTo(1);
        assertThat(ledger("careful")).containsExactly("old");
        assertThat(careful.handle(Messages.of(old))).isEqualTo(InboxOutcome.DUPLICATE);
    }

    @Test
    default void aLateEventBehindAnotherIsDeadLettered() {
        Inbox<T> careful = builder("careful")
                .onLateEvent(InboxBuilder.Late.DEAD_LETTER)
                .versions(VersionGuard.strict(Duration.ofMinutes(10)))
                .build();
        failing().add("first");
        assertThat(careful.handle(Messages.of("1", "first"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(careful.handle(Messages.of(late("1", "behind it")))).isEqualTo(InboxOutcome.DEAD_LETTERED);
        Event gap = Messages.event("2", "gap")
                .aggregateVersion(3)
                .occurredAt(Instant.now().minus(Duration.ofDays(20)))
                .build();
        assertThat(careful.handle(Messages.of(gap))).isEqualTo(InboxOutcome.DEAD_LETTERED);
        failing().clear();
        backend().age(Duration.ofMinutes(20));
        careful.runDue();
        assertThat(ledger("careful")).containsExactly("first");
    }

    private static Event late(String key, String text) {
        return Messages.event(key, text)
                .occurredAt(Instant.now().minus(Duration.ofDays(20)))
                .build();
    }
}
