package io.waybill.micrometer;

import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the status with at most one query at a time, and with a time limit. A database that hangs therefore blocks one thread, however
 * frequent the scrapes are: while a query is running, callers wait for its result instead of starting another.
 */
final class LatestStatus implements AutoCloseable {
    private final OutboxView view;
    private final Duration freshness;
    private final Duration patience;
    private final ExecutorService asking = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "waybill-gauges");
        thread.setDaemon(true);
        return thread;
    });

    private Consumer<OutboxStatus> listener = status -> {};
    private @Nullable Future<OutboxStatus> open;
    private Optional<OutboxStatus> answer = Optional.empty();
    private boolean asked;
    private long answeredAt;

    LatestStatus(OutboxView view, Duration freshness, Duration patience) {
        this.view = view;
        this.freshness = freshness;
        this.patience = patience;
    }

    /** Receives every new status. */
    synchronized void onAnswer(Consumer<OutboxStatus> listener) {
        this.listener = this.listener.andThen(listener);
    }

    /** Returns the status; empty when the database did not answer. A failure is cached as long as a result, so one scrape waits once. */
    synchronized Optional<OutboxStatus> get() {
        if (!asked || System.nanoTime() - answeredAt > freshness.toNanos()) {
            answer = ask();
            asked = true;
            answeredAt = System.nanoTime();
        }
        return answer;
    }

    private Optional<OutboxStatus> ask() {
        try {
            if (open == null) {
                open = asking.submit(view::status);
            }
            OutboxStatus status = open.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            open = null;
            listener.accept(status);
            return Optional.of(status);
        } catch (TimeoutException stillOpen) {
            return Optional.empty();
        } catch (ExecutionException | RejectedExecutionException failed) {
            open = null;
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        asking.shutdownNow();
    }
}
