package io.waybill.inbox.internal.consumer;

import io.waybill.inbox.Inbox;
import io.waybill.inbox.OutageException;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.internal.DaemonThreads;
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
 * Passes the messages of a queue to an inbox: messages of one key one at a time, different keys in parallel.
 *
 * <p>A message stays with its worker until the inbox has decided its outcome, however long the database is down. The limit of the
 * queue on unacknowledged messages bounds the number of messages here. After a subscription has ended, workers start no further
 * messages of that subscription; the broker delivers these messages again. For each key, the next subscription in this process
 * waits until the workers have finished with the messages of the previous one.
 */
public final class KeyedWorkers {
    private static final Logger LOG = LoggerFactory.getLogger(KeyedWorkers.class);
    private static final Duration AFTER_ERROR = Duration.ofSeconds(1);

    /** The period in which the broker accepts acknowledgements: until the connection is lost or closed. */
    public static final class Subscription {
        private static final Duration CHECK_EVERY = Duration.ofMillis(200);

        private final CountDownLatch ended = new CountDownLatch(1);
        private final BooleanSupplier failed;

        /** @param failed whether the consumer has failed; a failure ends the subscription */
        public Subscription(BooleanSupplier failed) {
            this.failed = failed;
        }

        public void end() {
            ended.countDown();
        }

        public boolean hasEnded() {
            return ended.getCount() == 0 || failed.getAsBoolean();
        }

        public void await() throws InterruptedException {
            while (!hasEnded()) {
                await(CHECK_EVERY);
            }
        }

        /** Returns when the subscription ends or the time is over. */
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
            queues.add(queue);
            threads.add(DaemonThreads.create("waybill-inbox-worker-" + inbox.group() + "-" + i, () -> work(queue)));
        }
        threads.forEach(Thread::start);
    }

    /** Whether an error has ended a worker. */
    boolean hasFailed() {
        return failed;
    }

    /** @param done acknowledges the message; a worker calls it as soon as the inbox has decided the outcome */
    public void submit(Subscription subscription, ReceivedMessage message, Runnable done) {
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
        } catch (Throwable e) { // the keys of this worker would wait forever while other workers continue
            failed = true;
            LOG.error("A worker of group {} has failed, and its consumer stops.", inbox.group(), e);
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
        while (!subscription.hasEnded()) {
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
                        "Group {} cannot handle {}; retrying",
                        inbox.group(),
                        tasks.get(0).message(),
                        e);
                subscription.await(AFTER_ERROR);
            }
        }
    }

    private void acknowledge(Task task) {
        try {
            task.done().run();
        } catch (RuntimeException e) {
            // The broker delivers the message again, and the mark in the database shows that it was processed.
            LOG.debug("{} could not be acknowledged", task.message(), e);
        }
    }

    private synchronized void addBusy(int change) {
        busy += change;
        notifyAll();
    }

    /** Waits until no worker is busy. Returns false if that takes longer than the limit. Call it after the subscription has ended. */
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

    /** Stops the threads, and interrupts handlers that are running. */
    public void stop() {
        threads.forEach(Thread::interrupt);
    }
}
