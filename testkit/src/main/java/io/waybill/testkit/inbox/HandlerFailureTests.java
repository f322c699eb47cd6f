package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.admin.EventFilter;
import io.waybill.inbox.FailureKind;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.retry.RetryPolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Retries, back-off and dead letters of events whose handler fails. */
interface HandlerFailureTests<T> extends InboxTests<T> {
    @Test
    default void aTransientFailureIsRetriedWhenItIsDue() {
        failing().add("a");
        inbox().handle(Messages.of("1", "a"));
        failing().clear();
        assertThat(inbox().runDue()).as("not due yet").isZero();
        backend().age(Duration.ofSeconds(30));
        assertThat(inbox().runDue()).isEqualTo(1);
        assertThat(ledger("stock")).containsExactly("a");
        assertThat(backend().view().status("stock").retrying()).isZero();
    }

    @Test
    default void theBackOffDoublesAndTheLimitLeadsToOneDeadLetter() {
        failing().add("a");
        ReceivedMessage message = Messages.of("1", "a");
        inbox().handle(message);
        backend().age(Duration.ofSeconds(13));
        assertThat(inbox().runDue()).as("second attempt, after about 10 s").isEqualTo(1);
        backend().age(Duration.ofSeconds(13));
        assertThat(inbox().runDue()).as("the pause has doubled").isZero();
        backend().age(Duration.ofSeconds(13));
        assertThat(inbox().runDue()).as("third and last attempt").isEqualTo(1);

        assertThat(backend().deadLetters().list("stock", EventFilter.ALL, 10))
                .singleElement()
                .satisfies(letter -> {
                    assertThat(letter.attempts()).isEqualTo(3);
                    assertThat(letter.error()).isEqualTo("a fails for now");
                    assertThat(letter.errorClass()).isEqualTo("java.lang.IllegalStateException");
                    assertThat(letter.message().value()).isEqualTo(message.value());
                });
        assertThat(backend().appended()).hasSize(1);
        assertThat(inbox().handle(message)).as("redelivered").isEqualTo(InboxOutcome.DUPLICATE);
        assertThat(backend().appended()).hasSize(1);
        assertThat(backend().ledger()).isEmpty();
    }

    @Test
    default void aPermanentFailureIsADeadLetterAtOnce() {
        permanentlyFailing().add("a");
        assertThat(inbox().handle(Messages.of("1", "a"))).isEqualTo(InboxOutcome.DEAD_LETTERED);
        assertThat(inbox().handle(Messages.of("1", "b")))
                .as("next event of the key")
                .isEqualTo(InboxOutcome.PROCESSED);
        assertThat(backend().view().status("stock").deadLetters()).isEqualTo(1);
    }

    @Test
    default void theClassifierDecidesTheKindOfFailure() {
        Inbox<T> picky = builder("picky")
                .classify(error -> error instanceof IllegalStateException ? FailureKind.PERMANENT : null)
                .build();
        failing().add("a");
        assertThat(picky.handle(Messages.of("1", "a"))).isEqualTo(InboxOutcome.DEAD_LETTERED);
    }

    @Test
    default void aThrowingClassifierCountsAsAFailureAndIsNamedInTheDeadLetter() {
        Inbox<T> picky = builder("picky")
                .classify(error -> {
                    throw new IllegalArgumentException("the classifier is broken");
                })
                .retry(new RetryPolicy(2, Duration.ofSeconds(10), Duration.ofSeconds(10)))
                .build();
        failing().add("a");
        assertThat(picky.handle(Messages.of("1", "a"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        backend().age(Duration.ofMinutes(1));
        assertThat(picky.runDue()).isEqualTo(1);
        assertThat(backend().deadLetters().list("picky", EventFilter.ALL, 10))
                .singleElement()
                .satisfies(
                        letter -> assertThat(letter.error()).contains("a fails for now", "the classifier is broken"));
    }

    /** The errors look like an outage of the inbox's database, but they come from another connection of the handler. The database works. */
    @Test
    default void aConnectionErrorOfTheHandlerIsNoOutage() {
        Inbox<T> reader = Inbox.builder(backend().store(), "stock")
                .on(Messages.TYPE, (transaction, event) -> {
                    if (Messages.text(event).equals("good")) {
                        backend().writeLedger(transaction, "stock good");
                        return;
                    }
                    throw Messages.text(event).equals("read-only")
                            ? backend().readOnlyError()
                            : backend().connectionError();
                })
                .retry(THREE_ATTEMPTS)
                .build();
        assertThat(reader.handle(Messages.of("1", "read-only"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(reader.handle(Messages.of("2", "closed"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(reader.paused()).isFalse();
        assertThat(reader.handle(Messages.of("3", "good"))).isEqualTo(InboxOutcome.PROCESSED);
        for (int attempt = 1; attempt <= 3; attempt++) {
            backend().age(Duration.ofMinutes(2));
            assertThat(reader.runDue()).isEqualTo(2);
        }
        assertThat(backend().view().status("stock").deadLetters()).isEqualTo(2);
    }

    @Test
    default void aRetryInterruptedByACrashIsRepeatedWhenItsLeaseExpires() {
        failing().add("a");
        inbox().handle(Messages.of("1", "a"));
        failing().clear();
        backend().age(Duration.ofMinutes(1));
        assertThat(backend().store().claimDue("stock", 10, Duration.ofSeconds(30)))
                .hasSize(1); // then the consumer crashes
        assertThat(inbox().runDue()).isZero();
        backend().age(Duration.ofSeconds(31));
        assertThat(inbox().runDue()).isEqualTo(1);
        assertThat(ledger("stock")).containsExactly("a");
    }
}
