package io.waybill.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.waybill.bench.measure.DeliveryCheck;
import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Figures;
import io.waybill.bench.measure.Run;
import java.util.List;
import org.junit.jupiter.api.Test;

class SummaryTest {
    private static final Section SECTION = new Section("drain", "", List.of("bare"), "");
    private static final DeliveryCheck LOST = new DeliveryCheck(2, 1, 1, 0, 0, 0, 0);

    @Test
    void ratiosAreTakenWithinARound() {
        List<Row> rows = Summary.rows(
                SECTION,
                List.of(
                        run("bare", 1, 100, DeliveryCheck.NOTHING_SENT),
                        run("ours", 1, 50, DeliveryCheck.NOTHING_SENT),
                        run("bare", 2, 10, DeliveryCheck.NOTHING_SENT),
                        run("ours", 2, 20, DeliveryCheck.NOTHING_SENT),
                        run("bare", 3, 10, DeliveryCheck.NOTHING_SENT),
                        run("ours", 3, 10, DeliveryCheck.NOTHING_SENT)));
        assertThat(rows).extracting(Row::contestant).containsExactly("bare", "ours");
        assertThat(rows.get(1).figures()).containsExactly(entry(Figure.RATE, 20.0));
        assertThat(rows.get(1).ratios()).containsExactly(entry("× bare", 1.0));
    }

    @Test
    void oneFailedRunHidesAllFigures() {
        List<Row> rows = Summary.rows(
                SECTION, List.of(run("ours", 1, 50, DeliveryCheck.NOTHING_SENT), run("ours", 2, 5_000, LOST)));
        assertThat(rows).hasSize(1);
        assertThat(rows.get(0).passed()).isFalse();
        assertThat(rows.get(0).figures()).isEmpty();
        assertThat(rows.get(0).check()).isEqualTo("FAILED: 1 lost");
    }

    private static Run run(String contestant, int round, double rate, DeliveryCheck verdict) {
        return new Figures().put(Figure.RATE, rate).run("drain", "", contestant, round, verdict);
    }
}
