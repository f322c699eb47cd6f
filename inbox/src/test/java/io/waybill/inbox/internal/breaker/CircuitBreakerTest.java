package io.waybill.inbox.internal.breaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.inbox.InboxListener;
import io.waybill.inbox.OutageException;
import io.waybill.inbox.internal.breaker.CircuitBreaker.Pass;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CircuitBreakerTest {
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000_000_000L); // a monotonic clock may overflow
    private final List<Duration> pauses = new ArrayList<>();
    private final CircuitBreaker breaker = new CircuitBreaker(
            "stock",
            3,
            LONGEST_PAUSE,
            new InboxListener() {
                @Override
                public void outageEnded(Duration duration) {
                    pauses.add(duration);
                }
            },
            now::get);

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private void fail(String source) {
        Pass pass = breaker.enter(source);
        breaker.failed(UUID.randomUUID(), pass, "no");
        breaker.leave(pass);
    }

    private void pauseGroup() {
        for (int i = 0; i < 3; i++) {
            fail("orders/0");
        }
        assertThat(breaker.isOpen()).isTrue();
    }

    @Test
    void severalDifferentFailingEventsInARowPauseTheGroup() {
        fail("orders/0");
        fail("orders/1");
        assertThat(breaker.isOpen()).isFalse();

        fail("orders/0");

        assertThat(breaker.isOpen()).isTrue();
        assertThat(breaker.remaining()).isEqualTo(Duration.ofMillis(100));
        assertThatThrownBy(() -> breaker.enter("orders/0"))
                .isInstanceOf(OutageException.class)
                .hasMessageContaining("3 different events failed in a row");
    }

    @Test
    void oneEventThatFailsRepeatedlyDoesNotPauseTheGroup() {
        UUID id = UUID.randomUUID();
        for (int i = 0; i < 10; i++) {
            breaker.failed(id, breaker.enter("orders/0"), "no");
        }
        assertThat(breaker.isOpen()).isFalse();
    }

    @Test
    void thePauseDoublesWithEachFailedProbeUpToItsLimit() {
        pauseGroup();
        List<Duration> lengths = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            lengths.add(breaker.remaining());
            pass(breaker.remaining());
            fail("orders/0");
        }
        assertThat(lengths)
                .extracting(Duration::toMillis)
                .containsExactly(100L, 200L, 400L, 800L, 1_600L, 3_200L, 5_000L, 5_000L);
    }

    @Test
    void aSuccessfulProbeEndsThePause() {
        pauseGroup();
        pass(Duration.ofMillis(250));

        Pass probe = breaker.enter("orders/0");
        breaker.succeeded(true);
        breaker.leave(probe);

        assertThat(probe).isEqualTo(Pass.PROBE);
        assertThat(breaker.isOpen()).isFalse();
        assertThat(breaker.enter("orders/1")).isEqualTo(Pass.NORMAL);
        assertThat(pauses).containsExactly(Duration.ofMillis(250));
    }

    @Test
    void sourcesTakeTurnsWithProbes() {
        pauseGroup();
        assertThatThrownBy(() -> breaker.enter("orders/1")).isInstanceOf(OutageException.class);
        pass(breaker.remaining());

        assertThatThrownBy(() -> breaker.enter("orders/0"))
                .as("orders/1 came first")
                .isInstanceOf(OutageException.class);
        fail("orders/1");
        pass(breaker.remaining());

        assertThat(breaker.enter("orders/0")).isEqualTo(Pass.PROBE);
    }

    @Test
    void aSourceThatIsGoneLosesItsTurn() {
        pauseGroup();
        assertThatThrownBy(() -> breaker.enter("revoked/0")).isInstanceOf(OutageException.class);
        pass(breaker.remaining());
        assertThatThrownBy(() -> breaker.enter("orders/0")).isInstanceOf(OutageException.class);

        pass(Duration.ofSeconds(2));

        assertThat(breaker.enter("orders/0")).isEqualTo(Pass.PROBE);
    }

    @Test
    void aPauseWithoutAnyEventToTryEndsByItself() {
        pauseGroup();
        breaker.nothingIsDue();
        assertThat(breaker.isOpen()).isTrue();

        pass(Duration.ofSeconds(11));
        breaker.nothingIsDue();

        assertThat(breaker.isOpen()).isFalse();
        assertThat(pauses).containsExactly(Duration.ofSeconds(11));
    }

    @Test
    void anOutageOfTheDatabaseEndsWhenTheDatabaseAnswers() {
        assertThat(breaker.outage("no connection", true, null)).hasMessageContaining("no connection");
        pass(Duration.ofSeconds(60));
        breaker.nothingIsDue();
        assertThat(breaker.isOpen()).isTrue();

        breaker.succeeded(false);

        assertThat(breaker.isOpen()).isFalse();
    }
}
