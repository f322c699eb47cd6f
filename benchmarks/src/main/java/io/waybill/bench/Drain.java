package io.waybill.bench;

import io.waybill.bench.contest.BenchServers;
import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.Contestants;
import io.waybill.bench.contest.Tracing;
import io.waybill.bench.load.Load;
import io.waybill.bench.report.Section;
import java.util.List;
import java.util.stream.Stream;

/**
 * Measures a backlog from the start of the relay until all events are settled, and the WAL of an append.
 *
 * @param sampled the percentages of events with a span, each measured beside the same relay without OpenTelemetry; usually none
 */
record Drain(List<String> engines, int events, int batch, int rounds, Load load, List<Double> sampled)
        implements Scenario {
    private static final int ENOUGH_EVENTS = 100_000;

    @Override
    public Section section() {
        return new Section(
                "drain",
                String.format(
                        "a backlog of %,d events of %,d keys, %d bytes each, batch %,d; median of %d",
                        events, load.keys(), load.payloadBytes(), batch, rounds),
                sampled.isEmpty() ? List.of("update", "cursor") : engines,
                "");
    }

    @Override
    public void run(BenchContext context) throws Exception {
        if (events < ENOUGH_EVENTS) {
            context.progress()
                    .done("A backlog of fewer than %,d events mostly measures how long the JVM compiles."
                            .formatted(ENOUGH_EVENTS));
        }
        List<Contestant> contestants = engines.stream()
                .flatMap(name -> contestants(name, context.servers()))
                .toList();
        DrainRun draining = new DrainRun(context, section().scenario(), load);
        draining.warmUp("", contestants, events);
        for (int round = 1; round <= rounds; round++) {
            for (Contestant contestant : BenchContext.inTurn(contestants, round)) {
                draining.fresh("", contestant, events, round);
            }
        }
        if (!sampled.isEmpty()) {
            return;
        }
        for (Contestant contestant : contestants) {
            new AppendWal(context, load).measure(contestant);
        }
    }

    private Stream<Contestant> contestants(String engine, BenchServers servers) {
        if (sampled.isEmpty()) {
            return Stream.of(Contestants.named(engine, servers, batch));
        }
        return Stream.concat(
                        Stream.of(new Tracing(0, false)), sampled.stream().map(percent -> new Tracing(percent, true)))
                .map(tracing -> Contestants.traced(engine, servers, batch, tracing));
    }
}
