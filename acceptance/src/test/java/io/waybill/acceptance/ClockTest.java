package io.waybill.acceptance;

import io.waybill.jdbc.Engine;
import io.waybill.testkit.history.Workload;
import io.waybill.testkit.time.ManualClock;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R8: relays whose clocks are minutes apart and jump. A relay may believe what it likes: the database decides. */
class ClockTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration JUMP = Duration.ofMinutes(10);

    @ParameterizedTest
    @EnumSource
    void jumpingClocksHarmNothing(Engine engine) {
        ManualClock forwards = ManualClock.running();
        ManualClock backwards = ManualClock.running();
        try (Scenario scenario = new Scenario("R8 clocks jump", engine);
                Workload writers = scenario.workload().start()) {
            scenario.start(scenario.relay("forwards", LEASE).ticker(forwards));
            scenario.start(scenario.relay("backwards", LEASE).ticker(backwards));
            for (int jump = 0; jump < 20; jump++) {
                // One believes that its lease is over, the other that it will never end.
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
