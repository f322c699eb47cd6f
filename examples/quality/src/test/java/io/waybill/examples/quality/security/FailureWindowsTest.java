package io.waybill.examples.quality.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class FailureWindowsTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private Instant now = Instant.parse("2030-01-01T00:00:00Z");
    private final FailureWindows windows = new FailureWindows(2, MINUTE, 100, clock());

    @Test
    void aWindowEndsAfterItsTime() {
        assertThat(windows.take("a")).isZero();
        now = now.plusSeconds(20);
        assertThat(windows.take("a")).isZero();
        assertThat(windows.take("a")).isEqualTo(Duration.ofSeconds(40));
        assertThat(windows.take("b")).isZero();
        now = now.plusSeconds(40);
        assertThat(windows.take("a")).isZero();
    }

    @Test
    void aForgivenFailureDoesNotCount() {
        for (int i = 0; i < 10; i++) {
            assertThat(windows.take("a")).isZero();
            windows.forgive("a");
        }
        assertThat(windows.size()).isZero();
    }

    @Test
    void memoryIsBoundedAndTheOldestWindowIsRemoved() {
        for (int i = 0; i < 1_000; i++) {
            windows.take("name " + i);
            windows.take("name " + i);
        }
        assertThat(windows.size()).isEqualTo(100);
        assertThat(windows.take("name 999")).isPositive();
        assertThat(windows.take("name 0")).isZero();
    }

    @Test
    void endedWindowsAreRemoved() {
        for (int i = 0; i < 50; i++) {
            windows.take("name " + i);
        }
        now = now.plus(MINUTE);
        windows.take("another");
        assertThat(windows.size()).isEqualTo(1);
    }

    @Test
    void aClockThatIsSetBackDoesNotProlongAWindow() {
        windows.take("a");
        windows.take("a");
        now = now.minus(Duration.ofHours(1));
        assertThat(windows.take("a")).isZero();
    }

    @Test
    void theAddressesOfOneIpv6NetworkCountTogether() {
        assertThat(ClientNetwork.of("2001:db8:0:1::5")).isEqualTo(ClientNetwork.of("2001:db8:0:1:ffff::9"));
        assertThat(ClientNetwork.of("2001:db8:0:1::5")).isNotEqualTo(ClientNetwork.of("2001:db8:0:2::5"));
        assertThat(ClientNetwork.of("192.0.2.1")).isEqualTo("192.0.2.1");
    }

    private Clock clock() {
        return new Clock() {
            @Override
            public Instant instant() {
                return now;
            }

            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }
        };
    }
}
