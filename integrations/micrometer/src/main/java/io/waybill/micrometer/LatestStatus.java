package io.waybill.micrometer;

import io.waybill.WaybillException;
import io.waybill.internal.CachedProbe;
import io.waybill.internal.DaemonThreads;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The status that the gauges of one scrape show. A failure is cached as long as a result, so that a scrape waits only once. */
final class LatestStatus<S> implements AutoCloseable {
    private final Duration limit;
    private final ExecutorService threads = Executors.newCachedThreadPool(DaemonThreads.numbered("waybill-gauges"));
    private final CachedProbe<S> probe;
    private volatile Supplier<Optional<S>> current = this::query;

    LatestStatus(Callable<S> query, Duration limit) {
        this.limit = limit;
        this.probe = CachedProbe.cachingFailures(threads, query);
    }

    /** Queries now. From then on, {@link #get()} returns the result of the last call, and never waits. */
    void refresh() {
        Optional<S> now = query();
        current = () -> now;
    }

    /** Returns the status; empty when the database does not answer within the limit. */
    Optional<S> get() {
        return current.get();
    }

    private Optional<S> query() {
        try {
            return Optional.of(probe.answer(limit));
        } catch (WaybillException e) {
            return Optional.empty();
        }
    }

    /** Returns a part of the status; NaN when the database does not answer. */
    double value(ToDoubleFunction<S> part) {
        return get().map(part::applyAsDouble).orElse(Double.NaN);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
