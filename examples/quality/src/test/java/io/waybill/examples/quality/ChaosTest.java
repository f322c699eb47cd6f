package io.waybill.examples.quality;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.testkit.servers.SharedServers;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Injected faults. */
class ChaosTest {
    @Test
    void everyThirdRequestFailsExceptForMonitoring() {
        try (Service service = Service.start(
                SharedServers.freshDatabase(), "--quality.chaos.fail-every-request=3", "--quality.worker=off")) {
            Api api = service.api();
            assertThat(IntStream.range(0, 6)
                            .mapToObj(i -> api.send(api.request("GET", "/kpi", null, null))
                                    .status()))
                    .isEqualTo(List.of(401, 401, 500, 401, 401, 500));
            assertThat(IntStream.range(0, 3)
                            .mapToObj(i -> api.send(api.request("GET", "/health", null, null))
                                    .status()))
                    .containsOnly(200);
        }
    }
}
