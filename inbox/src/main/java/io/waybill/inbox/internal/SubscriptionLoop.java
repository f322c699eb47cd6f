package io.waybill.inbox.internal;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.internal.KeyedWorkers.Subscription;
import io.waybill.internal.DaemonThreads;
import io.waybill.internal.LogText;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps one subscription of a consumer, as long as it is wanted: when it ends, for whatever reason, a new one is begun. */
public final class SubscriptionLoop implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionLoop.class);

    /** A broker's queue or stream. */
    public interface Source {
        /**
         * Connects, hands messages to the workers until the subscription is over, and disconnects.
         *
         * @throws Exception with the reason for a person, when that does not work
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

    /** @param from the queue or stream in words */
    public SubscriptionLoop(Inbox<?> inbox, String from, KeyedWorkers workers, Duration handOverLimit, Source source) {
        this.inbox = inbox;
        this.from = from;
        this.workers = workers;
        this.handOverLimit = handOverLimit;
        this.source = source;
        this.thread = DaemonThreads.create("waybill-inbox-feed-" + inbox.group(), this);
    }

    /** Begins to consume, and to try what is due in the inbox. */
    public void start() {
        if (thread.getState() != Thread.State.NEW) {
            throw new IllegalStateException(
                    "The consumer of group " + inbox.group() + " was started before. Build a new one.");
        }
        inbox.start();
        thread.start();
    }

    /** Ends the subscription after what is being handled, and closes the inbox. */
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

    /** Whether it was started and consumes, or waits for its broker: neither stopped nor ended by an error. */
    public boolean isRunning() {
        return thread.isAlive() && stop.getCount() > 0 && !hasFailed();
    }

    private boolean hasFailed() {
        return failed || workers.hasFailed() || inbox.hasFailed();
    }

    /** When an error ends any thread of the consumer, all of it ends, so that another one gets the messages. */
    @Override
    public void run() {
        try {
            feed();
        } catch (Throwable e) {
            failed = true;
            LOG.error("The consumer of group {} from {} has failed", inbox.group(), from, e);
        }
        if (hasFailed()) {
            LOG.error(
                    "The consumer of group {} from {} ends because of the error above. Start a new one, or restart the process.",
                    inbox.group(),
                    from);
            subscription.end();
            workers.stop();
            inbox.close();
        }
    }

    private void feed() {
        boolean complained = false;
        while (stop.getCount() > 0 && !hasFailed()) {
            Subscription next = new Subscription(this::hasFailed);
            subscription = next;
            // Asked after it was stored: either this thread sees the order to stop, or stop() sees the subscription.
            if (stop.getCount() == 0) {
                return;
            }
            try {
                source.consume(next);
                complained = false;
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                if (!complained) {
                    complained = true;
                    LOG.warn(
                            "Group {} cannot read from {}: {} Trying on.",
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

    /** Lets workers finish, when the consumer is being stopped; call it before the connection is closed. */
    public void awaitHandOver() {
        if (stop.getCount() == 0 && !workers.awaitIdle(handOverLimit)) {
            LOG.warn(
                    "Group {} stops while a handler is at work; its event goes to the next consumer, too",
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
