package io.waybill.bench;

import io.waybill.bench.measure.Cpu;
import io.waybill.bench.measure.DeliveryCheck;
import io.waybill.bench.measure.Figures;
import io.waybill.bench.report.Section;
import io.waybill.bench.saga.SagaContestant;
import io.waybill.bench.saga.SagaSetUp;
import io.waybill.bench.saga.WaybillSagas;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The cost of an engine, with its relays and consumers, that has nothing to do, without sagas and with sagas that wait for a timer. */
record SagaIdle(long waiting, int rounds) implements Scenario {
    private static final String NONE = "no sagas";
    private static final int SETTLING_SECONDS = 5;
    private static final int SECONDS = 10;

    @Override
    public Section section() {
        return new Section(
                "saga-idle", String.format("nothing to do for %d s; median of %d", SECONDS, rounds), List.of(), NONE);
    }

    @Override
    public void run(BenchContext context) throws Exception {
        if (waiting == 0) {
            return;
        }
        for (int round = 1; round <= rounds; round++) {
            measure(context, NONE, SagaSetUp.EMPTY, round);
            measure(context, String.format("%,d waiting sagas", waiting), new SagaSetUp(0, waiting), round);
        }
    }

    private static void measure(BenchContext context, String variant, SagaSetUp setUp, int round) throws Exception {
        context.progress().doing("saga-idle: " + variant);
        SagaContestant idle = WaybillSagas.start(context.servers(), setUp);
        try (idle) {
            TimeUnit.SECONDS.sleep(SETTLING_SECONDS); // the consumers have joined their groups
            Cpu before = context.servers().cpuTime().now();
            TimeUnit.SECONDS.sleep(SECONDS);
            Cpu spent = context.servers().cpuTime().now().minus(before);
            context.add(new Figures()
                    .perSecond(spent, SECONDS)
                    .run("saga-idle", variant, "sagas", round, DeliveryCheck.NOTHING_SENT));
        }
    }
}
