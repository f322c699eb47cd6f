package io.waybill.inbox.internal;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.internal.KeyedWorkers.Subscription;
import io.waybill.internal.LogText;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a consumer subscribed: when a subscription ends for any reason, starts a new one, until the consumer is stopped. */
public final class SubscriptionLoop implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionLoop.class);

    /** A broker's queue or stream. */
    public interface Source {
        /**
         * Connects, passes messages to the workers until the subscription has ended, and disconnects.
         *
         * @throws Exception with a message for the log when the broker cannot be reached or rejects the consumer
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

    /** @param from name of the queue or stream for log messages, such as "queue orders" */
    public SubscriptionLoop(Inbox<?> inbox, String from, KeyedWorkers workers, Duration handOverLimit, Source source) {
        this.inbox = inbox;
        this.from = from;
        this.workers = workers;
        this.handOverLimit = handOverLimit;
        this.source = source;
        this.thread = new Thread(this, "waybill-inbox-feed-" + inbox.group());
        thread.setDaemon(true);
    }

    /** Starts consuming, and the retries of the inbox. */
    public void start() {
        if (thread.getState() != Thread.State.NEW) {
            throw new IllegalStateException(
                    "The consumer of group " + inbox.group() + " was already started. Build a new one.");
        }
        inbox.start();
        thread.start();
    }

    /** Waits for running handlers, ends the subscription and closes the inbox. */
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

    /** Returns whether the consumer is started and neither stopped nor failed; true also while the broker is unreachable. */
    public boolean isRunning() {
        return thread.isAlive() && stop.getCount() > 0 && !hasFailed();
    }

    private boolean hasFailed() {
        return failed || workers.hasFailed() || inbox.hasFailed();
    }

    /** An error that ends any thread of the consumer ends the whole consumer, so that another one gets the messages. */
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
                    "The consumer of group {} from {} stops because of the error above. Start a new consumer, or restart the process.",
                    inbox.group(),
                    from);
            subscription.end();
            workers.stop();
            inbox.close();
        }
    }

    private void consume() {
        boolean outageLogged = false;
        while (stop.getCount() > 0 && !hasFailed()) {
            Subscription next = new Subscription(this::hasFailed);
            subscription = next;
            // Checked after the subscription was stored: either this thread sees the stop flag, or stop() sees the
            // subscription.
            if (stop.getCount() == 0) {
                return;
            }
            try {
                source.consume(next);
                outageLogged = false;
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                if (!outageLogged) {
                    outageLogged = true;
                    LOG.warn(
                            "Group {} cannot read from {}: {} Retrying every second.",
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

    /** Waits for running handlers if the consumer is being stopped. Call it before the connection is closed. */
    public void awaitHandOver() {
        if (stop.getCount() == 0 && !workers.awaitIdle(handOverLimit)) {
            LOG.warn(
                    "Group {} stops while a handler is still running; the next consumer handles its event again",
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
