package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.inbox.HeldEvent;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.VersionGuard;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The database's clock is set back by an hour, so the stored times of held events lie an hour too far ahead. The events wait for their
 * delays, not for the hour.
 */
interface ClockStepTests<T> extends InboxTests<T> {
    Duration AN_HOUR_BACK = Duration.ofHours(-1);

    @Test
    default void aRetryDoesNotWaitForAClockThatWasSetBack() {
        failing().add("a");
        inbox().handle(List.of(Messages.of("1", "a"), Messages.of("1", "b"), Messages.of("2", "c")));
        failing().clear();
        backend().age(AN_HOUR_BACK);
        assertThat(inbox().runDue()).as("before the delay is over").isZero();

        backend().age(Duration.ofMinutes(1));
        inbox().runDue();
        inbox().runDue();
        assertThat(ledger("stock")).containsExactly("c", "a", "b");
        assertThat(backend().view().status("stock").retrying()).isZero();
    }

    @Test
    default void anEventThatIsDueDoesNotWaitForAClockThatWasSetBack() {
        failing().add("a");
        inbox().handle(List.of(Messages.of("1", "a"), Messages.of("1", "b")));
        backend().age(Duration.ofMinutes(1));
        for (HeldEvent due : backend().store().claimDue("stock", 1, Duration.ofSeconds(30))) {
            backend().store().transaction("release an event", transaction -> {
                backend().store().release(transaction, "stock", due.id());
                return due;
            });
        }
        backend().age(AN_HOUR_BACK);
        inbox().runDue();
        inbox().runDue();
        assertThat(ledger("stock")).containsExactly("b");
    }

    @Test
    default void aGapDoesNotWaitForAClockThatWasSetBack() {
        Inbox<T> strict = builder("strict")
                .versions(VersionGuard.strict(Duration.ofMinutes(10)))
                .build();
        strict.handle(List.of(Messages.of("1", "v1", 1), Messages.of("1", "v3", 3)));
        backend().age(AN_HOUR_BACK);
        assertThat(strict.runDue()).as("while it waits for its predecessor").isZero();
        assertThat(ledger("strict")).containsExactly("v1");

        backend().age(Duration.ofMinutes(11));
        strict.runDue();
        assertThat(ledger("strict")).containsExactly("v1", "v3");
    }
}
