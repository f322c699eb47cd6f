package io.waybill.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.chaos.check.Finding;
import io.waybill.chaos.fault.Fault;
import io.waybill.chaos.fault.Faults;
import io.waybill.chaos.fault.Invariant;
import io.waybill.chaos.process.TransportBug;
import io.waybill.chaos.report.HtmlReport;
import io.waybill.chaos.report.JsonReport;
import io.waybill.chaos.report.Live;
import io.waybill.chaos.report.RunResult;
import io.waybill.chaos.report.TextReport;
import io.waybill.chaos.world.Shape;
import io.waybill.jdbc.Engine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The short form of {@code ./waybill chaos}; the long one is for a quiet hour. */
class ChaosTest {
    private static final long SEED = 5;

    @ParameterizedTest
    @EnumSource
    void everythingThatIsPromisedHoldsWhileThingsBreak(Engine engine) throws Exception {
        RunResult outcome = run(engine, Duration.ofSeconds(28), quick(), TransportBug.NONE);
        assertThat(outcome.judgement().clean()).as(TextReport.of(outcome)).isTrue();
        assertThat(outcome.happened()).hasSizeGreaterThan(4);
        assertThat(outcome.judgement().tally().committed()).isGreaterThan(500);
        assertThat(HtmlReport.of(List.of(outcome)))
                .contains("every invariant holds", "<svg")
                .doesNotContain("http:", "https:", "<script", "<link");
        assertThat(JsonReport.of(List.of(outcome))).contains("\"clean\" : true");
    }

    /** Those that are over soon, so that a short run sees many. */
    private static List<Fault> quick() {
        return Faults.usual(1).stream()
                .filter(fault -> fault.lasts().longest() <= 8 && !fault.name().startsWith("broker-restart"))
                .toList();
    }

    /** The checks can fail: relays that settle before the broker has answered lose what was on its way. */
    @Test
    void aSeededBugIsFound() throws Exception {
        List<Fault> killing = Faults.all().stream()
                .filter(fault -> List.of("relay-kill", "broker-freeze").contains(fault.name()))
                .toList();
        RunResult outcome = run(Engine.JOURNAL, Duration.ofSeconds(10), killing, TransportBug.SETTLE_BEFORE_ACK);
        assertThat(outcome.judgement().clean()).isFalse();
        assertThat(outcome.judgement().findings())
                .filteredOn(Finding::broken)
                .extracting(Finding::invariant)
                .contains(Invariant.I1);
        assertThat(outcome.judgement().tally().lost()).isPositive();
    }

    private static RunResult run(Engine engine, Duration length, List<Fault> faults, TransportBug bug)
            throws Exception {
        Path folder = Files.createDirectories(
                Path.of("target", "chaos", engine.label() + "-" + bug).toAbsolutePath());
        Leftovers.remove(folder);
        RunResult outcome = new Run(engine, SEED, length, faults, new Shape(2, 3, 2), 30, 150, bug, folder, "")
                .carryOut(new Live(System.out, false));
        System.out.println(TextReport.of(outcome));
        if (outcome.judgement().clean() || bug != TransportBug.NONE) {
            Leftovers.remove(folder);
        }
        return outcome;
    }
}
