package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.process.RelayProgram;
import io.waybill.jdbc.Engine;
import io.waybill.testkit.crash.Crash;
import io.waybill.testkit.crash.CrashPoint;
import io.waybill.testkit.history.HistoryVerdict;
import io.waybill.testkit.history.Workload;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R1: the process of a relay ends at each step of its work. */
@ParameterizedClass
@EnumSource(Engine.class)
class RelayCrashTest {
    private static final Duration LEASE = Duration.ofSeconds(2);

    private final Engine engine;

    RelayCrashTest(Engine engine) {
        this.engine = engine;
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT) // they mostly wait for a lease to run out
    void aRelayThatEndsIsSucceededByTheNext(CrashPoint point) {
        try (Scenario scenario = new Scenario("R1 one relay, " + point, engine);
                Workload writers = writers(scenario)) {
            ChildProcess doomed = scenario.process("doomed", LEASE, crash(point));
            if (point == CrashPoint.IN_HAND_OVER) {
                scenario.awaitPublished(300);
                doomed.terminate();
            }
            assertThat(doomed.awaitExit()).as("%s", doomed.output()).isEqualTo(Crash.STATUS);
            Scenario.awaitMore(writers, 100);
            scenario.start(scenario.relay("heir", LEASE));
            conclude(scenario, writers, point);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT) // they mostly wait for a lease to run out
    void aRelayThatEndsIsSucceededByTheOneBesideIt(CrashPoint point) {
        try (Scenario scenario = new Scenario("R1 two relays, " + point, engine);
                Workload writers = writers(scenario)) {
            ChildProcess doomed = scenario.process("doomed", LEASE, crash(point));
            if (point == CrashPoint.IN_HAND_OVER) {
                // the newcomer makes it give up half of its lanes, and there it ends
                scenario.awaitOwner("doomed", Scenario.LANES, Duration.ofSeconds(30));
            }
            scenario.start(scenario.relay("companion", LEASE));
            assertThat(doomed.awaitExit()).as("%s", doomed.output()).isEqualTo(Crash.STATUS);
            Scenario.awaitMore(writers, 100);
            conclude(scenario, writers, point);
        }
    }

    /** Two relays find the same lanes free. A few points will do: what happens to the lane was shown above. */
    @ParameterizedTest
    @EnumSource(names = {"AFTER_CLAIM_COMMIT", "AFTER_ACK", "IN_HAND_OVER"})
    @Execution(ExecutionMode.CONCURRENT) // they mostly wait for a lease to run out
    void aRelayThatEndsIsSucceededByTheTwoBesideIt(CrashPoint point) {
        try (Scenario scenario = new Scenario("R1 three relays, " + point, engine);
                Workload writers = writers(scenario)) {
            ChildProcess doomed = scenario.process("doomed", LEASE, crash(point));
            if (point == CrashPoint.IN_HAND_OVER) {
                scenario.awaitOwner("doomed", Scenario.LANES, Duration.ofSeconds(30));
            }
            scenario.start(scenario.relay("companion-1", LEASE));
            scenario.start(scenario.relay("companion-2", LEASE));
            assertThat(doomed.awaitExit()).as("%s", doomed.output()).isEqualTo(Crash.STATUS);
            Scenario.awaitMore(writers, 100);
            conclude(scenario, writers, point);
        }
    }

    /** A fixed name is what an orchestrator gives to the instances of a stateful set. */
    @Test
    void aRelayThatComesBackUnderItsOldNameTakesItsLanesBack() {
        try (Scenario scenario = new Scenario("R1 killed, same name again", engine);
                Workload writers = writers(scenario)) {
            ChildProcess first = scenario.process("same", LEASE, "");
            scenario.awaitPublished(300);
            first.kill();
            scenario.process("same", LEASE, "").awaitStarted();
            writers.stop();
            await("the lanes are worked again")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> scenario.status().pending() == 0);
            assertThat(scenario.conclude(writers.history(), 1).duplicates()).isBetween(0, RelayProgram.BATCH_SIZE);
        }
    }

    /** Some batches a second: what is written while a process starts must be read and compared in the end. */
    private static Workload writers(Scenario scenario) {
        return scenario.workload().pause(Duration.ofMillis(20)).start();
    }

    static void conclude(Scenario scenario, Workload writers, CrashPoint point) {
        writers.stop();
        scenario.awaitDrained();
        HistoryVerdict verdict = scenario.conclude(writers.history(), 1);
        switch (point.duplicates()) {
            case NONE -> assertThat(verdict.duplicates()).isZero();
            case POSSIBLE -> assertThat(verdict.duplicates()).isBetween(0, RelayProgram.BATCH_SIZE);
            case CERTAIN -> assertThat(verdict.duplicates()).isBetween(1, RelayProgram.BATCH_SIZE);
        }
    }

    /** Late enough that some batches have passed; the janitor works once at the start and then rarely. */
    static String crash(CrashPoint point) {
        int hit = switch (point) {
            case IN_CLEAN_UP, IN_HAND_OVER -> 1;
            case AFTER_SEND, AFTER_ACK -> 120;
            default -> 4;
        };
        return point + ":" + hit;
    }
}
