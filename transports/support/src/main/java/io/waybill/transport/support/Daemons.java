package io.waybill.transport.support;

import io.waybill.WaybillException;
import io.waybill.internal.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Work on daemon threads, which do not keep the process alive. */
public final class Daemons {
    private Daemons() {}

    public static ScheduledExecutorService every(Duration period, String name, Runnable work) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, DaemonThreads.numbered(name));
        Future<?> unused =
                executor.scheduleWithFixedDelay(work, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
        return executor;
    }

    /**
     * Runs the work on a thread of its own and waits until the limit. A DNS lookup in the work can take far longer than
     * the limit.
     */
    public static <T> T within(Duration limit, String what, Supplier<T> work) {
        CompletableFuture<T> result = CompletableFuture.supplyAsync(
                work, task -> DaemonThreads.create("waybill-probe", task).start());
        try {
            return result.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof WaybillException known) {
                throw known;
            }
            throw new WaybillException(what + " failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new WaybillException(
                    what + " took longer than " + limit.toMillis() + " ms. Check the network and the DNS.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaybillException(what + " was interrupted.", e);
        }
    }
}
