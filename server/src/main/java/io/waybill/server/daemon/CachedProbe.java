package io.waybill.server.daemon;

import io.waybill.WaybillException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Queries a server that may hang. At most one query runs at a time, so a server that never answers occupies one thread
 * however many callers there are. Each result is cached for one second.
 */
final class CachedProbe<T> {
    private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

    private final ExecutorService threads;
    private final Callable<T> ask;
    private @Nullable Future<T> open;
    private @Nullable T answer;
    private long answeredAt;

    CachedProbe(ExecutorService threads, Callable<T> ask) {
        this.threads = threads;
        this.ask = ask;
    }

    /** @throws WaybillException with the reason when the query fails or takes longer than the limit */
    T answer(Duration limit) {
        Future<T> mine;
        synchronized (this) {
            if (answer != null && System.nanoTime() - answeredAt < FRESH_NANOS) {
                return answer;
            }
            if (open == null || open.isDone()) {
                open = threads.submit(ask);
            }
            mine = open;
        }
        try {
            T fresh = mine.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            synchronized (this) {
                answer = fresh;
                answeredAt = System.nanoTime();
            }
            return fresh;
        } catch (TimeoutException e) {
            throw new WaybillException("no answer within " + limit.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new WaybillException(String.valueOf(cause.getMessage()), cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaybillException("interrupted", e);
        }
    }
}
