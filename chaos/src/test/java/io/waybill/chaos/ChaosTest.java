package io.waybill.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.chaos.check.Finding;
import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.chaos.fault.Fault;
import io.waybill.chaos.fault.Faults;
import io.waybill.chaos.fault.Invariant;
import io.waybill.chaos.report.HtmlReport;
import io.waybill.chaos.report.JsonReport;
import io.waybill.chaos.report.ProgressOutput;
import io.waybill.chaos.report.RunResult;
import io.waybill.chaos.report.TextReport;
import io.waybill.faults.saga.SagaBug;
import io.waybill.jdbc.Engine;
import io.waybill.processes.TransportBug;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A short run of {@code ./waybill chaos}. */
class ChaosTest {
    private static final long SEED = 5;

    @ParameterizedTest
    @EnumSource
    void allInvariantsHoldUnderFaults(Engine engine) throws Exception {
        RunResult outcome = run(engine, SEED, Duration.ofSeconds(28), quick(), TransportBug.NONE);
        assertThat(outcome.result().clean()).as(TextReport.of(outcome)).isTrue();
        assertThat(outcome.faults()).hasSizeGreaterThan(4);
        assertThat(outcome.result().counts().committed()).isGreaterThan(500);
        assertThat(outcome.result().sagas().ended()).isGreaterThan(30);
        assertThat(HtmlReport.of(List.of(outcome)))
                .contains("all invariants hold", "<svg")
                .doesNotContain("http:", "https:", "<script", "<link");
        assertThat(JsonReport.of(List.of(outcome))).contains("\"clean\" : true");
    }

    /** Faults of short duration, so that a short run covers many. */
    private static List<Fault> quick() {
        return Faults.usual(1).stream()
                .filter(fault -> fault.lasts().longest() <= 8 && !fault.name().startsWith("broker-restart"))
                .toList();
    }

    /**
     * Shows that the checks can fail. Each buggy relay reports up to 19 messages as published before it sends them, and loses them
     * when it is killed or stopped.
     */
    @Test
    void aSeededBugLosesEvents() throws Exception {
        List<Fault> kill = Faults.all().stream()
                .filter(fault -> fault.name().equals("relay-kill"))
                .toList();
        RunResult outcome = run(Engine.JOURNAL, SEED, Duration.ofSeconds(8), kill, TransportBug.ACK_BEFORE_SEND);
        assertThat(outcome.result().counts().lost()).isPositive();
        assertThat(outcome.result().findings())
                .filteredOn(Finding::violated)
                .extracting(Finding::invariant)
                .contains(Invariant.I1);
    }

    /** The participant of some sagas executes its command and never answers. */
    @Test
    void aSagaEngineThatTreatsDoubtAsFailureIsNoticed() throws Exception {
        List<Fault> kill = Faults.all().stream()
                .filter(fault -> fault.name().equals("saga-engine-kill"))
                .toList();
        RunResult outcome =
                run(Engine.JOURNAL, SEED, Duration.ofSeconds(12), kill, TransportBug.NONE, SagaBug.IN_DOUBT_AS_FAILED);
        assertThat(outcome.result().findings())
                .filteredOn(Finding::violated)
                .extracting(Finding::invariant)
                .containsExactly(Invariant.I8);
    }

    private static RunResult run(Engine engine, long seed, Duration length, List<Fault> faults, TransportBug bug)
            throws Exception {
        return run(engine, seed, length, faults, bug, SagaBug.NONE);
    }

    private static RunResult run(
            Engine engine, long seed, Duration length, List<Fault> faults, TransportBug bug, SagaBug sagaBug)
            throws Exception {
        Path folder = Files.createDirectories(Path.of("target", "chaos", engine.label() + "-" + bug + "-" + sagaBug)
                .toAbsolutePath());
        Leftovers.remove(folder);
        RunResult outcome = new Run(
                        engine, seed, length, faults, new ClusterSize(2, 3, 2), 30, 150, 6, bug, sagaBug, folder, "")
                .execute(new ProgressOutput(System.out, false));
        System.out.println(TextReport.of(outcome));
        if (outcome.result().clean() || bug != TransportBug.NONE || sagaBug != SagaBug.NONE) {
            Leftovers.remove(folder);
        }
        return outcome;
    }
}
