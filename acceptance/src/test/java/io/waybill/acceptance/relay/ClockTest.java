package io.waybill.acceptance.relay;

import io.waybill.acceptance.Scenario;
import io.waybill.faults.history.Workload;
import io.waybill.jdbc.Engine;
import io.waybill.testkit.time.ManualClock;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The clocks of relays differ by minutes and jump. Only the clock of the database counts (R8). */
class ClockTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration JUMP = Duration.ofMinutes(10);

    @ParameterizedTest
    @EnumSource
    void jumpingClocksHaveNoEffect(Engine engine) {
        ManualClock forwards = ManualClock.running();
        ManualClock backwards = ManualClock.running();
        try (Scenario scenario = new Scenario("R8 clocks jump", engine);
                Workload writers = scenario.workload().start()) {
            scenario.start(scenario.relay("forwards", LEASE).ticker(forwards));
            scenario.start(scenario.relay("backwards", LEASE).ticker(backwards));
            for (int jump = 0; jump < 20; jump++) {
                // For one relay its lease seems expired, for the other it seems never to expire.
                forwards.move(jump % 4 == 3 ? JUMP.negated().multipliedBy(3) : JUMP);
                backwards.move(jump % 4 == 3 ? JUMP.multipliedBy(3) : JUMP.negated());
                Scenario.awaitMore(writers, 50);
            }
            writers.stop();
            scenario.awaitDrained();
            scenario.conclude(writers.history(), 0);
        }
    }
}
