package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waybill.jdbc.Engine;
import io.waybill.testkit.history.Workload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * R8: relays whose clocks are minutes apart, one of them running backwards in steps. Needs libfaketime, which a system property
 * may name; that no decision reads a clock at all is an architecture rule of core.
 */
class ClockTest {
    private static final Path LIBRARY =
            Path.of(System.getProperty("waybill.faketime", "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"));
    private static final Duration LEASE = Duration.ofSeconds(2);

    @ParameterizedTest
    @EnumSource
    void onlyTheClockOfTheDatabaseDecides(Engine engine) {
        assumeTrue(Files.exists(LIBRARY), "libfaketime is not installed");
        try (Scenario scenario = new Scenario("R8 clocks apart", engine);
                Workload writers = scenario.workload().start()) {
            scenario.process("early", LEASE, clock("-10m"));
            RelayProcess late = scenario.process("late", LEASE, clock("+10m"));
            scenario.awaitOwner("early", Scenario.LANES / 2, Duration.ofSeconds(60));
            scenario.awaitOwner("late", Scenario.LANES / 2, Duration.ofSeconds(60));
            long fences = fences(scenario);
            Scenario.awaitMore(writers, 600); // some leases later
            assertThat(fences(scenario))
                    .as("nobody took a lane from a living relay")
                    .isEqualTo(fences);
            late.kill();
            scenario.awaitOwner("early", Scenario.LANES, Duration.ofSeconds(15));
            Scenario.awaitMore(writers, 100);
            writers.stop();
            scenario.awaitDrained();
            assertThat(scenario.conclude(writers.history(), 1).duplicates()).isBetween(0, RelayProgram.BATCH_SIZE);
        }
    }

    private static long fences(Scenario scenario) {
        return scenario.number("SELECT sum(fence) FROM outbox_lanes");
    }

    private static Map<String, String> clock(String offset) {
        return Map.of("LD_PRELOAD", LIBRARY.toString(), "FAKETIME", offset, "FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }
}
