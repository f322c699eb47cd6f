package io.waybill.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The result of one message. It counts how often the transport reported a result. */
public final class Result implements Delivery {
    private final Message message;
    private final CountDownLatch told = new CountDownLatch(1);
    private final AtomicInteger times = new AtomicInteger();
    private volatile @Nullable Failure failure;

    public Result(Message message) {
        this.message = message;
    }

    @Override
    public void acknowledged() {
        times.incrementAndGet();
        told.countDown();
    }

    @Override
    public void failed(Failure failure) {
        this.failure = failure;
        times.incrementAndGet();
        told.countDown();
    }

    public Message message() {
        return message;
    }

    public int times() {
        return times.get();
    }

    /** Returns the failure, or nothing if the message was acknowledged. Fails the test if there is no result within the limit. */
    public Optional<Failure> await(Duration limit) {
        try {
            assertThat(told.await(limit.toMillis(), TimeUnit.MILLISECONDS))
                    .as("result of %s within %s", message, limit)
                    .isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return Optional.ofNullable(failure);
    }

    public void assertAcknowledged(Duration limit) {
        assertThat(await(limit)).as("failure of %s", message).isEmpty();
    }

    public Failure assertFailed(Failure.Kind kind, Duration limit) {
        Optional<Failure> found = await(limit);
        assertThat(found).as("failure of %s", message).isPresent();
        Failure failed = found.orElseThrow();
        assertThat(failed.kind()).as(failed.reason()).isEqualTo(kind);
        assertThat(failed.reason()).as("reason, which is a sentence").endsWith(".");
        return failed;
    }
}
