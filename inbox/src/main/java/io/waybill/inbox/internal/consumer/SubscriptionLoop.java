package io.waybill.inbox.internal.consumer;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.internal.consumer.KeyedWorkers.Subscription;
import io.waybill.internal.DaemonThreads;
import io.waybill.internal.LogText;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a consumer subscribed until it is stopped: whenever a subscription ends, a new one begins. */
public final class SubscriptionLoop implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionLoop.class);

    /** A broker's queue or stream. */
    public interface Source {
        /**
         * Connects, passes messages to the workers until the subscription ends, and disconnects.
         *
         * @throws Exception if that fails, with the reason as its message
         */
        void consume(Subscription subscription) throws Exception;
    }

    private final Inbox<?> inbox;
    private final String from;
    private final Source source;
    private final KeyedWorkers workers;
    private final Duration handOverLimit;
    private final Thread thread;
    private final CountDownLatch stop = new CountDownLatch(1);
    private volatile Subscription subscription = new Subscription(this::hasFailed);
    private volatile boolean failed;

    /** @param from the queue or stream, as in "queue orders" */
    public SubscriptionLoop(Inbox<?> inbox, String from, KeyedWorkers workers, Duration handOverLimit, Source source) {
        this.inbox = inbox;
        this.from = from;
        this.workers = workers;
        this.handOverLimit = handOverLimit;
        this.source = source;
        this.thread = DaemonThreads.create("waybill-inbox-feed-" + inbox.group(), this);
    }

    /** Starts consuming and starts the background work of the inbox. */
    public void start() {
        if (thread.getState() != Thread.State.NEW) {
            throw new IllegalStateException(
                    "The consumer of group " + inbox.group() + " was already started. Build a new one.");
        }
        inbox.start();
        thread.start();
    }

    /** Ends the subscription after the messages in progress, and closes the inbox. */
    public void stop() {
        stop.countDown();
        subscription.end();
        try {
            thread.join(handOverLimit.plusSeconds(10).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        workers.stop();
        inbox.close();
    }

    /** Whether the consumer was started and has neither been stopped nor failed. It may be waiting for its broker. */
    public boolean isRunning() {
        return thread.isAlive() && stop.getCount() > 0 && !hasFailed();
    }

    private boolean hasFailed() {
        return failed || workers.hasFailed() || inbox.hasFailed();
    }

    /** If an error ends any thread of the consumer, the whole consumer stops, so that another one receives the messages. */
    @Override
    public void run() {
        try {
            consume();
        } catch (Throwable e) {
            failed = true;
            LOG.error("The consumer of group {} from {} has failed", inbox.group(), from, e);
        }
        if (hasFailed()) {
            LOG.error(
                    "The consumer of group {} from {} stops because of the error above. Start a new one, or restart the process.",
                    inbox.group(),
                    from);
            subscription.end();
            workers.stop();
            inbox.close();
        }
    }

    private void consume() {
        boolean failureLogged = false;
        while (stop.getCount() > 0 && !hasFailed()) {
            Subscription next = new Subscription(this::hasFailed);
            subscription = next;
            // Checked after the subscription was stored: either this thread sees the stop, or stop() sees the
            // subscription and ends it.
            if (stop.getCount() == 0) {
                return;
            }
            try {
                source.consume(next);
                failureLogged = false;
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                if (!failureLogged) {
                    failureLogged = true;
                    LOG.warn(
                            "Group {} cannot read from {}: {} Retrying.",
                            inbox.group(),
                            from,
                            LogText.oneLine(e.getMessage()));
                }
            } finally {
                next.end();
            }
            pause();
        }
    }

    /** Waits for the workers if the consumer is being stopped. Call it before the connection is closed. */
    public void awaitHandOver() {
        if (stop.getCount() == 0 && !workers.awaitIdle(handOverLimit)) {
            LOG.warn(
                    "Group {} stops while a handler is running; its event is delivered to the next consumer as well",
                    inbox.group());
        }
    }

    private void pause() {
        try {
            boolean unused = stop.await(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            stop.countDown();
        }
    }
}
