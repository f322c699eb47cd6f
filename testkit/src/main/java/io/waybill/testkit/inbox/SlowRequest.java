package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.inbox.IdempotencyKeys.Response;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A request with an idempotency key whose work lasts until {@link #finish}. It is in progress when the constructor returns. */
final class SlowRequest implements AutoCloseable {
    private final CountDownLatch mayFinish = new CountDownLatch(1);
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Future<Response> response;

    <T> SlowRequest(InboxBackend<T> backend, String key, String text) {
        CountDownLatch started = new CountDownLatch(1);
        response = thread.submit(() -> backend.idempotencyKeys()
                .answer("orders", key, "hash", Duration.ofDays(1), transaction -> {
                    backend.writeLedger(transaction, text);
                    started.countDown();
                    await(mayFinish);
                    return new Response(201, text);
                }));
        await(started);
    }

    Response finish() throws Exception {
        mayFinish.countDown();
        return response.get(4, TimeUnit.MINUTES);
    }

    @Override
    public void close() {
        mayFinish.countDown();
        thread.shutdown();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(4, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
