package io.waybill.bench;

import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.Contestants;
import io.waybill.bench.contest.RunningRelay;
import io.waybill.bench.contest.Schema;
import io.waybill.bench.contest.Topic;
import io.waybill.bench.load.Load;
import io.waybill.bench.measure.Cpu;
import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Figures;
import io.waybill.bench.report.Section;
import java.util.List;

/** Writers append at full speed while the relay runs. Measures the lag when they stop and the time to catch up. */
record Sustained(
        List<String> engines, int seconds, List<Integer> perTransaction, int writers, int batch, int rounds, Load load)
        implements Scenario {

    @Override
    public Section section() {
        return new Section(
                "sustained",
                String.format(
                        "%d writers for %d s, as fast as they can, while the relay runs, batch %,d; median of %d",
                        writers, seconds, batch, rounds),
                List.of("update"),
                "");
    }

    @Override
    public void run(BenchContext context) throws Exception {
        List<Contestant> contestants = engines.stream()
                .map(name -> Contestants.named(name, context.servers(), batch))
                .toList();
        for (int round = 1; round <= rounds; round++) {
            for (int size : perTransaction) {
                for (Contestant contestant : BenchContext.inTurn(contestants, round)) {
                    one(context, contestant, size, round);
                }
            }
        }
    }

    private void one(BenchContext context, Contestant contestant, int size, int round) throws Exception {
        String variant = size + "/transaction";
        context.progress().doing("sustained: " + contestant.name() + ", " + variant);
        try (Topic topic = Topic.create(context.servers(), contestant.name());
                Schema schema = contestant.create("run")) {
            Figures figures = new Figures();
            Writers.Wrote wrote;
            try (RunningRelay relay = contestant.relay(schema, topic.name())) {
                relay.begin();
                Cpu before = context.servers().cpuTime().now();
                wrote = new Writers(contestant, schema, load, topic.name(), writers).flatOut(size, seconds);
                long arrived = topic.records();
                long stopped = System.nanoTime();
                DrainRun.await(relay, wrote.events());
                Cpu spent = context.servers().cpuTime().now().minus(before).plusOurs(-wrote.cpuSeconds());
                figures.put(Figure.WRITTEN, wrote.events() / wrote.seconds())
                        .put(Figure.ARRIVED, arrived / wrote.seconds())
                        .put(Figure.LAG, (double) Math.max(0, wrote.events() - arrived))
                        .put(Figure.CATCH_UP, (System.nanoTime() - stopped) / 1e9)
                        .perEvent(spent, wrote.events());
            }
            context.add(figures.run(
                    "sustained", variant, contestant.name(), round, topic.check(wrote.events(), contestant.ordered())));
            schema.drop();
        }
    }
}
