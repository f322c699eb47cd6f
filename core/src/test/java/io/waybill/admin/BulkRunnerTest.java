package io.waybill.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.store.StoreException;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BulkRunnerTest {
    /** Fails once, then has a number of steps. */
    private static final class Steps implements BulkOperations {
        private final AtomicInteger calls = new AtomicInteger();
        private final CountDownLatch left;

        Steps(int count) {
            left = new CountDownLatch(count);
        }

        @Override
        public Optional<BulkOperation> step(String runner, Duration lease) {
            if (calls.incrementAndGet() == 1) {
                throw new StoreException("the database is down", null);
            }
            if (left.getCount() == 0) {
                return Optional.empty();
            }
            left.countDown();
            return Optional.of(new BulkOperation(
                    UUID.randomUUID(),
                    BulkOperation.Kind.REPLAY,
                    EventFilter.ALL,
                    runner,
                    "reason",
                    BulkOperation.State.RUNNING,
                    3,
                    1,
                    0,
                    0,
                    0,
                    0,
                    Instant.EPOCH,
                    null,
                    null));
        }

        @Override
        public BulkOperation draft(BulkOperation.Kind kind, EventFilter filter, int ratePerSecond, Action action) {
            throw new UnsupportedOperationException();
        }

        @Override
        public BulkOperation confirm(UUID id, Action action) {
            throw new UnsupportedOperationException();
        }

        @Override
        public BulkOperation cancel(UUID id, Action action) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<BulkOperation> operation(UUID id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Page<BulkOperation> operations(@Nullable String cursor, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Page<BulkOperation.Result> results(UUID id, @Nullable String cursor, int limit) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void aRunnerContinuesAfterAFailureOfTheDatabase() throws InterruptedException {
        Steps steps = new Steps(3);
        try (BulkRunner runner = new BulkRunner(steps, "runner", Ticker.SYSTEM)) {
            runner.start();
            assertThat(steps.left.await(2, TimeUnit.MINUTES))
                    .as("all steps were executed")
                    .isTrue();
        }
    }
}
