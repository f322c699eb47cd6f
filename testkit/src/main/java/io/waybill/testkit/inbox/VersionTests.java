package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.inbox.VersionGuard;
import io.waybill.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Aggregate versions: stale events, gaps, and versions of events without a handler. */
interface VersionTests<T> extends InboxTests<T> {
    @Test
    default void aStaleVersionIsSkipped() {
        Inbox<T> guarded = builder("guarded").versions(VersionGuard.SKIP_STALE).build();
        assertThat(guarded.handle(Messages.of("1", "v2", 2))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(guarded.handle(Messages.of("1", "v1", 1))).isEqualTo(InboxOutcome.STALE);
        assertThat(guarded.handle(Messages.of("1", "v2 again", 2))).isEqualTo(InboxOutcome.STALE);
        assertThat(guarded.handle(Messages.of("2", "w1", 1))).as("another key").isEqualTo(InboxOutcome.PROCESSED);
        assertThat(guarded.handle(Messages.of("1", "v5", 5)))
                .as("version after a gap")
                .isEqualTo(InboxOutcome.PROCESSED);
        assertThat(guarded.handle(Messages.of("1", "no version"))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(ledger("guarded")).containsExactly("v2", "w1", "v5", "no version");
    }

    @Test
    default void versionsAreGuardedInABatchToo() {
        Inbox<T> strict = builder("strict")
                .versions(VersionGuard.strict(Duration.ofMinutes(10)))
                .build();
        assertThat(strict.handle(List.of(
                        Messages.of("1", "v1", 1),
                        Messages.of("1", "v3", 3),
                        Messages.of("1", "v1 again", 1),
                        Messages.of("1", "v2", 2),
                        Messages.of("2", "no version"))))
                .containsExactly(
                        InboxOutcome.PROCESSED,
                        InboxOutcome.PARKED,
                        InboxOutcome.STALE,
                        InboxOutcome.PROCESSED,
                        InboxOutcome.PROCESSED);
        strict.runDue();
        assertThat(ledger("strict")).containsExactly("v1", "v2", "no version", "v3");
    }

    @Test
    default void aFailedVersionDoesNotCountAsSeen() {
        Inbox<T> guarded = builder("guarded").versions(VersionGuard.SKIP_STALE).build();
        failing().add("v1");
        guarded.handle(Messages.of("1", "v1", 1));
        failing().clear();
        backend().age(Duration.ofMinutes(1));
        guarded.runDue();
        assertThat(ledger("guarded")).containsExactly("v1");
    }

    @Test
    default void aGapWaitsForItsPredecessor() {
        Inbox<T> strict = builder("strict")
                .versions(VersionGuard.strict(Duration.ofMinutes(10)))
                .build();
        assertThat(strict.handle(Messages.of("1", "v1", 1))).isEqualTo(InboxOutcome.PROCESSED);
        ReceivedMessage third = Messages.of("1", "v3", 3);
        assertThat(strict.handle(third)).isEqualTo(InboxOutcome.PARKED);
        assertThat(strict.handle(third)).as("redelivered").isEqualTo(InboxOutcome.PARKED);
        assertThat(strict.handle(Messages.of("1", "v4", 4))).isEqualTo(InboxOutcome.PARKED);
        assertThat(strict.runDue()).isZero();
        assertThat(strict.handle(Messages.of("1", "v2", 2))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(strict.runDue()).isEqualTo(2);
        assertThat(strict.handle(Messages.of("1", "v2 late", 2))).isEqualTo(InboxOutcome.STALE);
        assertThat(ledger("strict")).containsExactly("v1", "v2", "v3", "v4");
        assertThat(backend().view().status("strict").parked()).isZero();
    }

    @Test
    default void aVersionOfATypeWithoutAHandlerCountsAsSeen() {
        Inbox<T> strict = builder("strict")
                .versions(VersionGuard.strict(Duration.ofMinutes(10)))
                .build();
        assertThat(strict.handle(Messages.of("1", "v1", 1))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(strict.handle(unhandled("1", 2))).isEqualTo(InboxOutcome.SKIPPED);
        assertThat(strict.handle(Messages.of("1", "v3", 3))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(strict.handle(unhandled("1", 5))).as("a gap").isEqualTo(InboxOutcome.PARKED);
        assertThat(strict.handle(List.of(Messages.of("1", "v4", 4), unhandled("2", 1), Messages.of("2", "w2", 2))))
                .containsExactly(InboxOutcome.PROCESSED, InboxOutcome.SKIPPED, InboxOutcome.PROCESSED);
        assertThat(strict.runDue()).isEqualTo(1);
        assertThat(strict.handle(Messages.of("1", "v6", 6))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(ledger("strict")).containsExactly("v1", "v3", "v4", "w2", "v6");
        assertThat(strict.handle(Messages.of(Event.of("order.noted", "Order", "1", "{}"))))
                .as("event without a version")
                .isEqualTo(InboxOutcome.SKIPPED);
    }

    private static ReceivedMessage unhandled(String key, long version) {
        return Messages.of(Event.builder("order.noted", "Order", key)
                .topic(Messages.TOPIC)
                .aggregateVersion(version)
                .payload("{}")
                .build());
    }

    @Test
    default void aGapIsAcceptedAfterItsTimeout() {
        Inbox<T> strict = builder("strict")
                .versions(VersionGuard.strict(Duration.ofMinutes(10)))
                .build();
        strict.handle(Messages.of("1", "v3", 3));
        strict.handle(Messages.of("1", "v4", 4));
        backend().age(Duration.ofMinutes(11));
        assertThat(strict.runDue()).isEqualTo(2);
        assertThat(strict.handle(Messages.of("1", "v2", 2))).isEqualTo(InboxOutcome.STALE);
        assertThat(ledger("strict")).containsExactly("v3", "v4");
    }

    @Test
    default void aFailingPredecessorDelaysItsSuccessorsBeyondTheirTimeout() {
        Inbox<T> strict = builder("strict")
                .versions(VersionGuard.strict(Duration.ofSeconds(30)))
                .retry(new RetryPolicy(10, Duration.ofMinutes(5), Duration.ofMinutes(5)))
                .build();
        strict.handle(Messages.of("1", "v2", 2));
        failing().add("v1");
        assertThat(strict.handle(Messages.of("1", "v1", 1))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        backend().age(Duration.ofMinutes(1));
        assertThat(strict.runDue()).as("due events while version 1 is retried").isZero();
        failing().clear();
        backend().age(Duration.ofMinutes(10));
        strict.runDue();
        assertThat(ledger("strict")).containsExactly("v1", "v2");
    }
}
