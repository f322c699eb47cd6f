package io.waybill.internal;

import io.waybill.WaybillException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Queries a server that may hang. At most one query runs at a time, so a server that never answers occupies one thread,
 * whatever the number of callers. Each result is cached for one second.
 */
public final class CachedProbe<T> {
    private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

    private final ExecutorService threads;
    private final Callable<T> ask;
    private final boolean cacheFailures;
    private @Nullable Future<T> open;
    private @Nullable T answer;
    private @Nullable WaybillException failure;
    private long answeredAt;

    private CachedProbe(ExecutorService threads, Callable<T> ask, boolean cacheFailures) {
        this.threads = threads;
        this.ask = ask;
        this.cacheFailures = cacheFailures;
    }

    /** Returns a probe that queries again after a failure. */
    public static <T> CachedProbe<T> of(ExecutorService threads, Callable<T> ask) {
        return new CachedProbe<>(threads, ask, false);
    }

    /** Returns a probe that caches a failure like a result, so that several calls in a row wait only once. */
    public static <T> CachedProbe<T> cachingFailures(ExecutorService threads, Callable<T> ask) {
        return new CachedProbe<>(threads, ask, true);
    }

    /** @throws WaybillException with the reason when the query fails or takes longer than the limit */
    public T answer(Duration limit) {
        Future<T> mine;
        synchronized (this) {
            if (System.nanoTime() - answeredAt < FRESH_NANOS) {
                if (failure != null) {
                    throw failure;
                }
                if (answer != null) {
                    return answer;
                }
            }
            if (open == null || open.isDone()) {
                open = submit();
            }
            mine = open;
        }
        try {
            T fresh = mine.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            keep(fresh, null);
            return fresh;
        } catch (TimeoutException e) {
            throw failed("no answer within " + limit.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw failed(String.valueOf(cause.getMessage()), cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaybillException("interrupted", e);
        }
    }

    private Future<T> submit() {
        try {
            return threads.submit(ask);
        } catch (RejectedExecutionException e) {
            throw new WaybillException("the probe is closed", e);
        }
    }

    private WaybillException failed(String reason, Throwable cause) {
        WaybillException failed = new WaybillException(reason, cause);
        keep(null, cacheFailures ? failed : null);
        return failed;
    }

    private synchronized void keep(@Nullable T fresh, @Nullable WaybillException failed) {
        answer = fresh;
        failure = failed;
        answeredAt = System.nanoTime();
    }
}
