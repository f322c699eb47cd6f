package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.admin.EventFilter;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.FailureKind;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.OutageException;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.retry.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The pause of a consumer group after many failures in a row. */
interface PauseTests<T> extends InboxTests<T> {
    Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    int MOST_DELIVERIES = 1_000;

    /** The failing events pause the group. The events behind them are still processed. */
    @Test
    default void failingEventsInARowDoNotStopTheKeysBehindThem() {
        Inbox<T> pausing = pausing("stock").build();
        List<ReceivedMessage> partition = new ArrayList<>();
        List<String> good = new ArrayList<>();
        for (int n = 1; n <= 12; n++) {
            failing().add("bad-" + n);
            partition.add(Messages.of("bad-" + n, "bad-" + n));
        }
        for (int n = 1; n <= 5; n++) {
            good.add("good-" + n);
            partition.add(Messages.of("good-" + n, "good-" + n));
        }
        deliverInOrder(pausing, partition);
        assertThat(ledger("stock")).containsExactlyElementsOf(good);
        assertThat(pausing.paused()).as("paused after a success").isFalse();

        await("the failing ones are given up on").atMost(Duration.ofMinutes(4)).until(() -> {
            backend().age(Duration.ofMinutes(2));
            tryDue(pausing);
            return backend().view().status("stock").deadLetters() == 12;
        });
        assertThat(backend().deadLetters().list("stock", EventFilter.ALL, 20))
                .extracting(DeadLetter::attempts)
                .containsOnly(3);
        assertThat(backend().view().status("stock").retrying()).isZero();
    }

    @Test
    default void aPauseIsShownWithItsReasonUntilItEnds() {
        Inbox<T> pausing = pausing("stock").build();
        assertThat(backend().view().status("stock").pausedConsumers()).isZero();
        for (int n = 1; n <= 10; n++) {
            failing().add("bad-" + n);
            pausing.handle(Messages.of("bad-" + n, "bad-" + n));
        }
        assertThat(pausing.paused()).isTrue();
        tryDue(pausing);
        assertThat(backend().view().status("stock")).satisfies(status -> {
            assertThat(status.pausedConsumers()).isEqualTo(1);
            assertThat(status.pausedSince()).isNotNull();
            assertThat(status.pauseReason()).contains("10 different events").contains("bad-10 fails for now");
        });
        assertThat(backend().view().status())
                .as("status of all groups")
                .singleElement()
                .satisfies(status -> assertThat(status.pausedConsumers()).isEqualTo(1));
        assertThat(backend().view().status("mail").pausedConsumers())
                .as("paused consumers of another group")
                .isZero();

        deliverInOrder(pausing, List.of(Messages.of("good", "good")));
        tryDue(pausing);
        assertThat(backend().view().status("stock")).satisfies(status -> {
            assertThat(status.pausedConsumers()).isZero();
            assertThat(status.pausedSince()).isNull();
            assertThat(status.pauseReason()).isNull();
        });
    }

    @Test
    default void thePauseOfADeadConsumerExpires() {
        Inbox<T> pausing = pausing("stock").pauseAfter(1).build();
        failing().add("bad");
        pausing.handle(Messages.of("bad", "bad"));
        tryDue(pausing);
        assertThat(backend().view().status("stock").pausedConsumers()).isEqualTo(1);
        backend().age(Duration.ofMinutes(10));
        assertThat(backend().view().status("stock").pausedConsumers()).isZero();
    }

    /** The classifier reports an outage of a service. No attempt is counted, and other keys are still processed. */
    @Test
    default void aSystemicFailureCountsNoAttempt() {
        Inbox<T> pausing = pausing("stock")
                .classify(error -> FailureKind.SYSTEMIC)
                .retry(new RetryPolicy(1, Duration.ofSeconds(10), Duration.ofSeconds(10)))
                .build();
        failing().add("bad");
        deliverInOrder(pausing, List.of(Messages.of("a", "bad"), Messages.of("a", "behind"), Messages.of("b", "good")));
        assertThat(ledger("stock")).containsExactly("good");
        for (int i = 0; i < 3; i++) {
            backend().age(Duration.ofMinutes(2));
            await().atMost(Duration.ofMinutes(4)).until(() -> tryDue(pausing) > 0);
        }
        assertThat(backend().view().status("stock").deadLetters()).isZero();
        failing().clear();
        backend().age(Duration.ofMinutes(2));
        await().atMost(Duration.ofMinutes(4)).until(() -> tryDue(pausing) > 0);
        assertThat(ledger("stock")).containsExactly("good", "bad", "behind");
    }

    @Test
    default void aThrowingListenerDoesNotStopTheConsumer() {
        Inbox<T> heard = pausing("stock")
                .pauseAfter(1)
                .listener(new InboxListener() {
                    @Override
                    public void handled(Event event, InboxOutcome outcome, Duration took) {
                        throw new IllegalStateException("handled");
                    }

                    @Override
                    public void poison(ReceivedMessage message, String reason) {
                        throw new StackOverflowError("poison");
                    }

                    @Override
                    public void failed(Event event, FailureKind verdict, Throwable cause) {
                        throw new IllegalStateException("failed");
                    }

                    @Override
                    public void outageBegan(String reason) {
                        throw new IllegalStateException("began");
                    }

                    @Override
                    public void outageEnded(Duration duration) {
                        throw new IllegalStateException("ended");
                    }
                })
                .build();
        failing().add("bad");
        assertThat(heard.handle(Messages.of("1", "bad"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(heard.handle(new ReceivedMessage("orders", 0, 1, null, new byte[0], Map.of())))
                .isEqualTo(InboxOutcome.DEAD_LETTERED);
        deliverInOrder(heard, List.of(Messages.of("2", "good")));
        assertThat(ledger("stock")).containsExactly("good");
        assertThat(heard.paused()).isFalse();
    }

    private InboxBuilder<T> pausing(String group) {
        return builder(group).pauseAfter(10).longestPause(LONGEST_PAUSE);
    }

    private int tryDue(Inbox<?> by) {
        try {
            return by.runDue();
        } catch (OutageException e) {
            return 0;
        } finally {
            clock().move(LONGEST_PAUSE); // the next probe may run
        }
    }

    /** Delivers as the consumer of a partition does: repeats each message until the inbox accepts it. */
    private void deliverInOrder(Inbox<T> to, List<ReceivedMessage> partition) {
        for (ReceivedMessage message : partition) {
            int deliveries = 0;
            while (!decided(to, message)) {
                assertThat(++deliveries).as("deliveries of " + message).isLessThan(MOST_DELIVERIES);
            }
        }
    }

    private boolean decided(Inbox<?> by, ReceivedMessage message) {
        try {
            by.handle(message);
            return true;
        } catch (OutageException e) {
            clock().move(e.retryAfter());
            return false; // the consumer delivers the message again
        }
    }
}
