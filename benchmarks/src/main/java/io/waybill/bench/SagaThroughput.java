package io.waybill.bench;

import io.waybill.bench.measure.Cpu;
import io.waybill.bench.measure.DeliveryCheck;
import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Figures;
import io.waybill.bench.report.Section;
import io.waybill.bench.saga.BareSagas;
import io.waybill.bench.saga.SagaContestant;
import io.waybill.bench.saga.SagaSetUp;
import io.waybill.bench.saga.WaybillSagas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Starts sagas as fast as four threads can, and waits until all of them have ended.
 *
 * @param endedBefore ended sagas in the table of a second variant; 0 omits it
 */
record SagaThroughput(int sagas, int rounds, long endedBefore) implements Scenario {
    private static final String BARE = "bare loop";
    private static final String WAYBILL = "sagas";
    private static final String EMPTY = "empty table";
    private static final int STARTERS = 4;
    private static final Duration SILENCE_LIMIT = Duration.ofSeconds(60);

    @Override
    public Section section() {
        return new Section(
                "saga",
                String.format("%,d sagas of three commands over Kafka; median of %d", sagas, rounds),
                List.of(BARE),
                EMPTY);
    }

    @Override
    public void run(BenchContext context) throws Exception {
        for (int round = 0; round <= rounds; round++) {
            List<String> order = BenchContext.inTurn(List.of(BARE, WAYBILL), round);
            for (String contestant : order) {
                measure(context, contestant, EMPTY, SagaSetUp.EMPTY, round);
            }
            if (endedBefore > 0 && round > 0) {
                String variant = String.format("beside %,d ended sagas", endedBefore);
                measure(context, WAYBILL, variant, new SagaSetUp(endedBefore, 0), round);
            }
        }
    }

    private void measure(BenchContext context, String name, String variant, SagaSetUp setUp, int round)
            throws Exception {
        context.progress().doing("saga: " + name + ", " + variant);
        try (SagaContestant contestant =
                name.equals(BARE) ? BareSagas.start(context.servers()) : WaybillSagas.start(context.servers(), setUp)) {
            int before = STARTERS; // consumers have joined their groups when these have ended
            start(contestant, 0, before);
            await(contestant, before);
            double commits = contestant.commits();
            Cpu cpu = context.servers().cpuTime().now();
            long began = System.nanoTime();
            start(contestant, before, sagas);
            await(contestant, before + sagas);
            double seconds = (System.nanoTime() - began) / 1e9;
            Cpu spent = context.servers().cpuTime().now().minus(cpu);
            DeliveryCheck check = contestant.check(before + sagas);
            context.add(new Figures()
                    .perEvent(spent, sagas)
                    .put(Figure.SAGAS, sagas / seconds)
                    .put(Figure.COMMITS, (contestant.commits() - commits) / sagas)
                    .run("saga", variant, name, round, check));
        }
    }

    private static void start(SagaContestant contestant, int first, int count) throws Exception {
        ExecutorService starters = Executors.newFixedThreadPool(STARTERS);
        List<Future<?>> started = new ArrayList<>();
        for (int starter = 0; starter < STARTERS; starter++) {
            int offset = first + starter;
            started.add(starters.submit(() -> {
                for (int number = offset; number < first + count; number += STARTERS) {
                    contestant.start(number);
                }
                return null;
            }));
        }
        for (Future<?> future : started) {
            future.get();
        }
        starters.shutdown();
    }

    private static void await(SagaContestant contestant, long sagas) throws InterruptedException {
        long ended = contestant.ended();
        long deadline = System.nanoTime() + SILENCE_LIMIT.toNanos();
        while (ended < sagas) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("Only " + ended + " of " + sagas
                        + " sagas have ended, and none in the last " + SILENCE_LIMIT.toSeconds() + " s.");
            }
            TimeUnit.MILLISECONDS.sleep(2);
            long now = contestant.ended();
            if (now > ended) {
                ended = now;
                deadline = System.nanoTime() + SILENCE_LIMIT.toNanos();
            }
        }
    }
}
