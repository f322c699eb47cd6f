package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.PermanentException;
import io.waybill.retry.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Effects outside the database, which a repeated handler does not repeat. */
interface EffectTests<T> extends InboxTests<T> {
    @Test
    default void aCompletedEffectIsNotRepeatedWithItsHandler() {
        List<String> mails = new ArrayList<>();
        Inbox<T> mailing = Inbox.builder(backend().store(), "mailing")
                .on(Messages.TYPE, (transaction, event) -> {
                    backend().effects("mailing").once(event, "welcome", mails::add);
                    if (mails.size() == 1 && permanentlyFailing().remove("a")) {
                        throw new IllegalStateException("fails after the mail");
                    }
                    backend().writeLedger(transaction, "done");
                })
                .retry(new RetryPolicy(3, Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .build();
        permanentlyFailing().add("a");
        assertThat(mailing.handle(Messages.of("1", "a"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        backend().age(Duration.ofMinutes(1));
        mailing.runDue();
        assertThat(mails).hasSize(1);
        assertThat(backend().ledger()).containsExactly("done");
    }

    @Test
    default void anEffectIsKeptUntilItsEventIsProcessed() {
        List<String> mails = new ArrayList<>();
        Inbox<T> mailing = Inbox.builder(backend().store(), "mailing")
                .on(Messages.TYPE, (transaction, event) -> {
                    backend().effects("mailing").once(event, "welcome", mails::add);
                    if (permanentlyFailing().contains(Messages.text(event))) {
                        throw new PermanentException("fails permanently after the mail");
                    }
                    if (failing().contains(Messages.text(event))) {
                        throw new IllegalStateException("fails after the mail");
                    }
                    backend().writeLedger(transaction, Messages.text(event));
                })
                .retry(new RetryPolicy(3, Duration.ofDays(60), Duration.ofDays(60)))
                .build();
        permanentlyFailing().add("dead");
        failing().add("held");
        UUID dead = giveUp(mailing, Messages.of("1", "dead"));
        assertThat(mailing.handle(Messages.of("2", "held"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(mailing.handle(Messages.of("3", "done"))).isEqualTo(InboxOutcome.PROCESSED);
        backend().age(Duration.ofDays(100));
        mailing.prune(100);
        assertThat(backend().effectCount("mailing"))
                .as("effects of unprocessed events")
                .isEqualTo(2);

        permanentlyFailing().clear();
        failing().clear();
        backend().deadLetters().replay("mailing", List.of(dead), DECISION);
        assertThat(mailing.runDue()).isEqualTo(2);
        assertThat(backend().ledger()).containsExactlyInAnyOrder("done", "dead", "held");
        assertThat(mails).as("mails").hasSize(3);
        mailing.prune(100);
        assertThat(backend().effectCount("mailing"))
                .as("effects after all events are processed")
                .isZero();
    }
}
