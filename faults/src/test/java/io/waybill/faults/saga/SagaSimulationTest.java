package io.waybill.faults.saga;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.waybill.faults.saga.SagaSimulation.Report;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Saga engines under faults on virtual time. {@code -Dwaybill.simulation.runs=100000} searches longer. */
class SagaSimulationTest {
    private static final int RUNS = Integer.getInteger("waybill.simulation.runs", 1_000);
    private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.waybill.saga.Sagas");

    @BeforeAll
    static void silenceLogs() {
        LOG.setLevel(Level.OFF);
    }

    @AfterAll
    static void restoreLogs() {
        LOG.setLevel(null);
    }

    @Test
    void noScheduleViolatesTheInvariantOfSagas() {
        int faults = 0;
        int rolledBack = 0;
        for (long seed = 1; seed <= RUNS; seed++) {
            Report report = SagaSimulation.run(seed, SagaBug.NONE);
            assertThat(report.violations()).as("seed " + seed).isEmpty();
            faults += report.faults();
            rolledBack += report.rolledBack();
        }
        System.out.printf(
                "Saga simulation: %,d schedules, %,d faults, %,d of %,d sagas rolled back%n",
                RUNS, faults, rolledBack, 3 * RUNS);
        assertThat(faults).isGreaterThan(RUNS);
        assertThat(rolledBack).isBetween(RUNS / 3, RUNS * 3 - RUNS / 3);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void everySeededBugIsFound(SagaBug bug) {
        Optional<Report> found = SagaSimulation.search(bug, 20_000);
        assertThat(found).as("a schedule that shows %s", bug).isPresent();
        Report report = found.orElseThrow();
        System.out.println("Saga simulation: " + bug + " found after " + report.seed() + " schedules: "
                + report.violations().get(0));
    }
}
