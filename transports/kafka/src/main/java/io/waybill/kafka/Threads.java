package io.waybill.kafka;

import io.waybill.WaybillException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The transport's own threads: all daemons, few, and gone when there is nothing to do. */
final class Threads {
    /** A missing topic holds one for a sixth of the send timeout. */
    private static final int MOST = 16;

    private Threads() {}

    static ThreadPoolExecutor background() {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                MOST, MOST, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons("waybill-kafka"));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    static ScheduledExecutorService everySecond(Runnable work) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, daemons("waybill-kafka-watch"));
        Future<?> unused = executor.scheduleWithFixedDelay(work, 1, 1, TimeUnit.SECONDS);
        return executor;
    }

    /** Runs the work on a thread of its own and stops waiting at the limit: looking a name up can take far longer. */
    static <T> T within(Duration limit, String what, Supplier<T> work) {
        CompletableFuture<T> result = CompletableFuture.supplyAsync(
                work, task -> daemons("waybill-kafka-probe").newThread(task).start());
        try {
            return result.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof WaybillException known) {
                throw known;
            }
            throw new WaybillException(what + " failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new WaybillException(
                    what + " took longer than " + limit.toMillis() + " ms. See whether the network and the DNS work.",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaybillException(what + " was interrupted.", e);
        }
    }

    static ThreadFactory daemons(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
