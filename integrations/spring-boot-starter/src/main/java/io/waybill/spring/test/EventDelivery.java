package io.waybill.spring.test;

import io.waybill.admin.OutboxStatus;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxStatus;
import io.waybill.spring.InboxConsumer;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.internal.inbox.StoredInbox;
import io.waybill.spring.internal.outbox.StoredOutbox;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Delivers the events that a test has appended to the application's own handlers, with the in-process transport, and waits for the
 * handlers. Events that the handlers append are delivered as well.
 *
 * <pre>{@code
 * orders.place(order);
 * delivery.await();
 * assertThat(stock.reserved()).isEqualTo(1);
 * }</pre>
 */
public final class EventDelivery {
    static final Duration LIMIT = Duration.ofSeconds(30);
    static final Duration PAUSE = Duration.ofMillis(20);

    private final ObjectProvider<RelayLifecycle> relay;
    private final ObjectProvider<InboxConsumer> consumer;
    private final ObjectProvider<StoredOutbox> outbox;
    private final ObjectProvider<StoredInbox<?>> inbox;

    EventDelivery(
            ObjectProvider<RelayLifecycle> relay,
            ObjectProvider<InboxConsumer> consumer,
            ObjectProvider<StoredOutbox> outbox,
            ObjectProvider<StoredInbox<?>> inbox) {
        this.relay = relay;
        this.consumer = consumer;
        this.outbox = outbox;
        this.inbox = inbox;
    }

    /** Waits like {@link #await(Duration)}, for at most 30 seconds. */
    public void await() {
        await(LIMIT);
    }

    /**
     * Returns when every event is handled or is a dead letter.
     *
     * @throws AssertionError when events are still pending at the limit
     */
    public void await(Duration limit) {
        requireNoTransaction();
        if (!relay.getObject().isInProcess()) {
            throw new IllegalStateException(
                    "Events go to a broker, so the test cannot know when handlers have run. Set waybill.transport=in-process"
                            + " for this test.");
        }
        long began = System.nanoTime();
        while (true) {
            relay.getObject().runOnce();
            consumer.getObject().inbox().ifPresent(Inbox::runDue);
            OutboxStatus events = outbox.getObject().view().status();
            InboxStatus group =
                    inbox.getObject().view().status(consumer.getObject().group());
            if (events.pending() + group.retrying() + group.parked() == 0) {
                return;
            }
            if (System.nanoTime() - began > limit.toNanos()) {
                throw new AssertionError(
                        "Events are still pending after " + limit + ". Outbox: " + events + ". Inbox: " + group);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    static void requireNoTransaction() {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException("The test's transaction has not committed, so its changes are not visible."
                    + " Remove @Transactional from the test, or call TestTransaction.flagForCommit() and end() first.");
        }
    }
}
