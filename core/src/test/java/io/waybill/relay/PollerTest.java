package io.waybill.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.store.Lease;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PollerTest {
    @Test
    void aFailingListenerDoesNotStopThePoller() throws Exception {
        CountDownLatch polls = new CountDownLatch(3);
        RelayListener failing = new RelayListener() {
            @Override
            public void polled(PollResult result, Duration took) {
                polls.countDown();
                throw new IllegalStateException("not my day");
            }
        };
        try (Relay relay = Relay.builder(new NoLanes(), new ScriptedTransport())
                .listener(failing)
                .build()) {
            relay.start();
            assertThat(polls.await(4, TimeUnit.MINUTES)).isTrue();
        }
    }

    private static final class NoLanes extends LanesOnly {
        @Override
        public RelayRoster heartbeat(RelayReport report, Duration lease) {
            return new RelayRoster(List.of(report.name()), List.of());
        }

        @Override
        public Optional<Lease> acquire(String relay, int lane, Duration lease) {
            return Optional.empty();
        }
    }
}
