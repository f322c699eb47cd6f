package io.waybill.relay;

import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reports every task that ends with an exception or an error. The report happens on the thread of the task, before it ends. */
final class GuardedTicker implements Ticker {
    private final Ticker ticker;
    private final Consumer<Throwable> failed;

    GuardedTicker(Ticker ticker, Consumer<Throwable> failed) {
        this.ticker = ticker;
        this.failed = failed;
    }

    @Override
    public long nanos() {
        return ticker.nanos();
    }

    @Override
    public ExecutorService threads(String name, int count) {
        return new GuardedThreads(ticker.threads(name, count), failed);
    }

    @Override
    public boolean acquire(Semaphore permits, Duration limit) throws InterruptedException {
        return ticker.acquire(permits, limit);
    }

    @Override
    public <T> @Nullable T poll(BlockingQueue<T> queue, Duration limit) throws InterruptedException {
        return ticker.poll(queue, limit);
    }

    private static final class GuardedThreads extends AbstractExecutorService {
        private final ExecutorService threads;
        private final Consumer<Throwable> failed;

        GuardedThreads(ExecutorService threads, Consumer<Throwable> failed) {
            this.threads = threads;
            this.failed = failed;
        }

        @Override
        public void execute(Runnable task) {
            threads.execute(() -> {
                try {
                    task.run();
                } catch (Throwable e) {
                    failed.accept(e);
                    throw e;
                }
            });
        }

        @Override
        public void shutdown() {
            threads.shutdown();
        }

        @Override
        public List<Runnable> shutdownNow() {
            return threads.shutdownNow();
        }

        @Override
        public boolean isShutdown() {
            return threads.isShutdown();
        }

        @Override
        public boolean isTerminated() {
            return threads.isTerminated();
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
            return threads.awaitTermination(timeout, unit);
        }
    }
}
