package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.acceptance.Scenario;
import io.waybill.faults.crash.Crash;
import io.waybill.faults.crash.CrashPoint;
import io.waybill.faults.history.HistoryVerdict;
import io.waybill.faults.history.Workload;
import io.waybill.jdbc.Engine;
import io.waybill.processes.ChildProcess;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The process of a relay crashes at each step (R1). */
@ParameterizedClass
@EnumSource(Engine.class)
public class RelayCrashTest {
    private static final Duration LEASE = Duration.ofSeconds(2);

    /** The lease of a relay that must not lose its lanes while the machine is busy. */
    public static final Duration LONG_LEASE = Duration.ofSeconds(30);

    private final Engine engine;

    RelayCrashTest(Engine engine) {
        this.engine = engine;
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT) // the test mostly waits for a lease to expire
    void theNextRelayTakesOverAfterACrash(CrashPoint point) {
        try (Scenario scenario = new Scenario("R1 one relay, " + point, engine);
                Workload writers = writers(scenario)) {
            ChildProcess doomed = scenario.process("doomed", LEASE, crash(point));
            if (point == CrashPoint.IN_HAND_OVER) {
                scenario.awaitPublished(300);
                doomed.terminate();
            }
            assertThat(doomed.awaitExit()).as("%s", doomed.output()).isEqualTo(Crash.STATUS);
            Scenario.awaitMore(writers, 100);
            scenario.start(scenario.relay("heir", LONG_LEASE));
            conclude(scenario, writers, doomed, point);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT) // the test mostly waits for a lease to expire
    void aRunningRelayTakesOverAfterACrash(CrashPoint point) {
        try (Scenario scenario = new Scenario("R1 two relays, " + point, engine);
                Workload writers = writers(scenario)) {
            ChildProcess doomed = scenario.process("doomed", LEASE, crash(point));
            if (point == CrashPoint.IN_HAND_OVER) {
                // the new relay makes it release half of its lanes, and it crashes there
                scenario.awaitOwner("doomed", Scenario.LANES, Duration.ofMinutes(4));
            }
            scenario.start(scenario.relay("companion", LONG_LEASE));
            assertThat(doomed.awaitExit()).as("%s", doomed.output()).isEqualTo(Crash.STATUS);
            Scenario.awaitMore(writers, 100);
            conclude(scenario, writers, doomed, point);
        }
    }

    /** Two relays compete for the free lanes. A few crash points are enough, because the other tests cover the lane itself. */
    @ParameterizedTest
    @EnumSource(names = {"AFTER_CLAIM_COMMIT", "AFTER_ACK", "IN_HAND_OVER"})
    @Execution(ExecutionMode.CONCURRENT) // the test mostly waits for a lease to expire
    void twoRunningRelaysTakeOverAfterACrash(CrashPoint point) {
        try (Scenario scenario = new Scenario("R1 three relays, " + point, engine);
                Workload writers = writers(scenario)) {
            ChildProcess doomed = scenario.process("doomed", LEASE, crash(point));
            if (point == CrashPoint.IN_HAND_OVER) {
                scenario.awaitOwner("doomed", Scenario.LANES, Duration.ofMinutes(4));
            }
            scenario.start(scenario.relay("companion-1", LONG_LEASE));
            scenario.start(scenario.relay("companion-2", LONG_LEASE));
            assertThat(doomed.awaitExit()).as("%s", doomed.output()).isEqualTo(Crash.STATUS);
            Scenario.awaitMore(writers, 100);
            conclude(scenario, writers, doomed, point);
        }
    }

    /** An orchestrator gives fixed names to the instances of a stateful set. */
    @Test
    void aRestartedRelayWithTheSameNameRegainsItsLanes() {
        try (Scenario scenario = new Scenario("R1 killed, same name again", engine);
                Workload writers = writers(scenario)) {
            ChildProcess first = scenario.process("same", LEASE, "");
            scenario.awaitPublished(300);
            first.kill();
            ChildProcess second = scenario.process("same", LONG_LEASE, "").awaitStarted();
            writers.stop();
            await("the lanes are worked again")
                    .atMost(Duration.ofMinutes(4))
                    .until(() -> scenario.status().pending() == 0);
            assertThat(scenario.conclude(writers.history(), 1).duplicates())
                    .isBetween(0, Scenario.mostInFlight(first) + Scenario.inFlightOfLostLeases(second));
        }
    }

    /** A low rate, because all events that are written while a process starts are checked in the end. */
    private static Workload writers(Scenario scenario) {
        return scenario.workload().pause(Duration.ofMillis(20)).start();
    }

    public static void conclude(Scenario scenario, Workload writers, ChildProcess doomed, CrashPoint point) {
        writers.stop();
        scenario.awaitDrained();
        HistoryVerdict verdict = scenario.conclude(writers.history(), 1);
        switch (point.duplicates()) {
            case NONE -> assertThat(verdict.duplicates()).isBetween(0, Scenario.inFlightOfLostLeases(doomed));
            case POSSIBLE -> assertThat(verdict.duplicates()).isBetween(0, Scenario.mostInFlight(doomed));
            case CERTAIN -> assertThat(verdict.duplicates()).isBetween(1, Scenario.mostInFlight(doomed));
        }
    }

    /** Late enough that some batches were sent before. Old events are deleted once at the start and then rarely. */
    public static String crash(CrashPoint point) {
        int hit = switch (point) {
            case IN_CLEAN_UP, IN_HAND_OVER -> 1;
            case AFTER_SEND, AFTER_ACK -> 120;
            default -> 4;
        };
        return point + ":" + hit;
    }
}
