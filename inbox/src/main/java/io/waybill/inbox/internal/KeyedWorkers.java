package io.waybill.inbox.internal;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.OutageException;
import io.waybill.inbox.ReceivedMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the messages of a queue to an inbox: messages of the same key one after the other, messages of different keys in parallel.
 *
 * <p>A worker retries a message until the inbox has decided about it, however long a database outage lasts; the broker's limit for
 * unacknowledged messages bounds the queues here. After a subscription has ended, messages that are still queued are skipped: the broker
 * delivers them again. Messages of the next subscription in this process queue behind the work of the old one, key by key.
 */
public final class KeyedWorkers {
    private static final Logger LOG = LoggerFactory.getLogger(KeyedWorkers.class);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    /** The period in which the broker accepts acknowledgements of its deliveries: until the connection is lost or closed. */
    public static final class Subscription {
        private static final Duration CHECK_INTERVAL = Duration.ofMillis(200);

        private final CountDownLatch ended = new CountDownLatch(1);
        private final BooleanSupplier failed;

        /** @param failed returns whether the consumer has failed, which ends its subscription */
        public Subscription(BooleanSupplier failed) {
            this.failed = failed;
        }

        public void end() {
            ended.countDown();
        }

        public boolean isOver() {
            return ended.getCount() == 0 || failed.getAsBoolean();
        }

        public void await() throws InterruptedException {
            while (!isOver()) {
                await(CHECK_INTERVAL);
            }
        }

        /** Waits until {@link #end} is called or the limit has passed. */
        void await(Duration limit) throws InterruptedException {
            boolean unused = ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private record Task(Subscription subscription, ReceivedMessage message, Runnable done) {}

    private final Inbox<?> inbox;
    private final int batchSize;
    private final List<BlockingQueue<Task>> queues = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean failed;
    private int busy;

    public KeyedWorkers(Inbox<?> inbox, int workers, int batchSize) {
        this.inbox = inbox;
        this.batchSize = batchSize;
        for (int i = 1; i <= workers; i++) {
            BlockingQueue<Task> queue = new LinkedBlockingQueue<>();
            Thread thread = new Thread(() -> work(queue), "waybill-inbox-worker-" + inbox.group() + "-" + i);
            thread.setDaemon(true);
            queues.add(queue);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
    }

    /** Returns whether an error has ended a worker. */
    boolean hasFailed() {
        return failed;
    }

    /** @param done acknowledges the message; a worker calls it as soon as the inbox has decided about the message */
    public void take(Subscription subscription, ReceivedMessage message, Runnable done) {
        int hash = Objects.hashCode(message.key());
        queues.get(Math.floorMod(hash ^ (hash >>> 16), queues.size())).add(new Task(subscription, message, done));
    }

    private void work(BlockingQueue<Task> queue) {
        try {
            while (true) {
                Task first = queue.take();
                addBusy(1);
                try {
                    handle(first.subscription(), nextBatch(first, queue));
                } finally {
                    addBusy(-1);
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("A worker of group {} stops", inbox.group());
        } catch (Throwable e) { // otherwise its keys would be stuck while other workers continue
            failed = true;
            LOG.error("A worker of group {} has failed; its consumer stops", inbox.group(), e);
        }
    }

    private List<Task> nextBatch(Task first, BlockingQueue<Task> queue) {
        List<Task> tasks = new ArrayList<>(List.of(first));
        while (tasks.size() < batchSize) {
            Task next = queue.peek();
            if (next == null || next.subscription() != first.subscription()) {
                break;
            }
            tasks.add(queue.remove());
        }
        return tasks;
    }

    private void handle(Subscription subscription, List<Task> tasks) throws InterruptedException {
        while (!subscription.isOver()) {
            try {
                if (tasks.size() == 1) {
                    inbox.handle(tasks.get(0).message());
                } else {
                    inbox.handle(tasks.stream().map(Task::message).toList());
                }
                tasks.forEach(this::acknowledge);
                return;
            } catch (OutageException e) {
                List<Task> decided = tasks.subList(0, e.decided());
                decided.forEach(this::acknowledge);
                decided.clear();
                subscription.await(e.retryAfter());
            } catch (RuntimeException | Error e) {
                LOG.error(
                        "Group {} cannot handle {}; retrying in 1 s",
                        inbox.group(),
                        tasks.get(0).message(),
                        e);
                subscription.await(RETRY_DELAY);
            }
        }
    }

    private void acknowledge(Task task) {
        try {
            task.done().run();
        } catch (RuntimeException e) {
            // The broker delivers the message again, and the inbox recognises it as a duplicate.
            LOG.debug("Cannot acknowledge {}", task.message(), e);
        }
    }

    private synchronized void addBusy(int by) {
        busy += by;
        notifyAll();
    }

    /** Waits until no worker handles a message; returns false if the limit passes first. Call it after the subscription has ended. */
    public synchronized boolean awaitIdle(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        try {
            for (long left = limit.toNanos(); busy > 0 && left > 0; left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return busy == 0;
    }

    /** Interrupts the workers, even while a handler is running. */
    public void stop() {
        threads.forEach(Thread::interrupt);
    }
}
