package io.waybill.faults.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.waybill.faults.simulation.Simulation.Observations;
import io.waybill.faults.simulation.Simulation.Report;
import io.waybill.relay.Relay;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * {@code -Dwaybill.simulation.runs=100000} sets the number of schedules, {@code -Dwaybill.simulation.from=7000000} the first seed.
 * {@code -Dwaybill.simulation.seed=42} runs one schedule and prints its trace.
 */
class SimulationTest {
    private static final long FROM = Long.getLong("waybill.simulation.from", 1);
    private static final int RUNS = Integer.getInteger("waybill.simulation.runs", 4_000);

    @BeforeAll
    static void silenceRelayLogs() {
        ((Logger) LoggerFactory.getLogger(Relay.class)).setLevel(Level.OFF);
    }

    @AfterAll
    static void restoreRelayLogs() {
        ((Logger) LoggerFactory.getLogger(Relay.class)).setLevel(null);
    }

    @Test
    void noScheduleViolatesAGuarantee() {
        Simulation simulation = new Simulation(Bug.NONE);
        Long seed = Long.getLong("waybill.simulation.seed");
        if (seed != null) {
            Report report = simulation.trace(seed);
            System.out.println(report.text());
            assertThat(report.violations()).isEmpty();
            return;
        }
        Observations seen = Observations.NONE;
        long started = System.nanoTime();
        for (int i = 0; i < RUNS; i++) {
            Report report = simulation.run(FROM + i);
            seen = seen.plus(report.observations());
            if (!report.violations().isEmpty()) {
                throw new AssertionError(simulation.shortest(FROM + i).text());
            }
        }
        System.out.printf(
                "Simulation: %,d schedules, %,d per minute, %s%n",
                RUNS, RUNS * 60_000_000_000L / (System.nanoTime() - started), seen);
        assertThat(seen.duplicates()).as("duplicates").isPositive();
        assertThat(seen.together())
                .as("claims of several lanes in one transaction")
                .isPositive();
        assertThat(seen.lateWrites()).as("late writes rejected").isPositive();
        assertThat(seen.deadLetters()).as("dead letters").isPositive();
        assertThat(seen.outages()).as("outages").isPositive();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void everySeededBugIsFound(Bug bug) {
        Simulation simulation = new Simulation(bug);
        Optional<Report> found = simulation.search(1, 2_000);
        assertThat(found).as("a schedule that shows %s", bug).isPresent();
        Report report = found.orElseThrow();
        System.out.println("Simulation: " + bug + " found after " + report.seed() + " schedules: "
                + report.violations().get(0));
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        Simulation simulation = new Simulation(Bug.NONE);
        for (long seed = 1; seed <= 50; seed++) {
            assertThat(new Simulation(Bug.NONE).trace(seed)).isEqualTo(simulation.trace(seed));
        }
    }

    @Test
    void aRunWithAViolationIsShortened() {
        Simulation simulation = new Simulation(Bug.NO_FENCE);
        Report found = simulation.search(1, 2_000).orElseThrow();

        Report shortest = simulation.shortest(found.seed());

        assertThat(shortest.violations()).isNotEmpty();
        assertThat(shortest.steps()).isLessThanOrEqualTo(found.steps());
        assertThat(shortest.text()).contains("VIOLATION", "-Dwaybill.simulation.seed=" + found.seed());
    }
}
