package io.waybill.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.WaybillException;
import io.waybill.transport.Delivery;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BreakerTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000_000_000L); // a monotonic clock may overflow
    private final Broker broker = new Broker();
    private final List<Duration> outages = new ArrayList<>();
    private final CircuitBreaker breaker = new CircuitBreaker(
            broker,
            new RelayListener() {
                @Override
                public void outageEnded(Duration duration) {
                    outages.add(duration);
                }
            },
            now::get);

    @Test
    void aBrokerThatAnswersIsNotDown() {
        broker.up = true;

        assertThat(breaker.confirmOutage("a topic without a leader")).isFalse();
        assertThat(breaker.isOpen()).isFalse();
    }

    @Test
    void aBrokerThatIsDownIsProbedWithBackOff() {
        assertThat(breaker.confirmOutage("gone")).isTrue();
        broker.probes = 0;

        List<Integer> probesPerSecond = new ArrayList<>();
        for (int second = 0; second < 30; second++) {
            int before = broker.probes;
            for (int i = 0; i < 100; i++) {
                now.addAndGet(10_000_000L);
                breaker.probeIfDue();
            }
            probesPerSecond.add(broker.probes - before);
        }

        assertThat(probesPerSecond.get(0)).isEqualTo(3); // after 100, 300 and 700 ms
        assertThat(broker.probes).as("in half a minute").isBetween(8, 12);
        assertThat(breaker.isOpen()).isTrue();
    }

    @Test
    void theOutageEndsWhenTheBrokerAnswers() {
        breaker.confirmOutage("gone");
        now.addAndGet(Duration.ofSeconds(3).toNanos());
        breaker.probeIfDue();
        assertThat(breaker.isOpen()).isTrue();

        broker.up = true;
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        breaker.probeIfDue();

        assertThat(breaker.isOpen()).isFalse();
        assertThat(outages).containsExactly(Duration.ofSeconds(4));
    }

    /** Found by a chaos run: after the clock had jumped nine minutes ahead and back, the next probe was nine minutes away. */
    @Test
    void aClockThatJumpsBackDoesNotDelayTheNextProbe() {
        breaker.confirmOutage("gone");
        now.addAndGet(Duration.ofMinutes(9).toNanos());
        breaker.probeIfDue();
        now.addAndGet(Duration.ofMinutes(-9).toNanos());

        broker.up = true;
        breaker.probeIfDue();

        assertThat(breaker.isOpen()).isFalse();
    }

    private static final class Broker implements Transport {
        private boolean up;
        private int probes;

        @Override
        public void send(Message message, Delivery delivery) {
            throw new AssertionError("nothing is sent here");
        }

        @Override
        public void probe() {
            probes++;
            if (!up) {
                throw new WaybillException("down");
            }
        }

        @Override
        public void close() {}
    }
}
