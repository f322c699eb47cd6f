package io.waybill.bench;

import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.Contestants;
import io.waybill.bench.load.KeyDistribution;
import io.waybill.bench.load.Load;
import io.waybill.bench.report.Section;
import java.util.List;
import java.util.Map;

/** A drain with uneven keys: one key has all events, or 1 % of the keys have half of them. */
record HotKey(List<String> engines, int events, int batch, int rounds, int keys, int payload) implements Scenario {
    @Override
    public Section section() {
        return new Section(
                "hot-key",
                String.format("a backlog of %,d events, batch %,d; median of %d", events, batch, rounds),
                List.of("update", "cursor"),
                "");
    }

    @Override
    public void run(BenchContext context) throws Exception {
        List<Contestant> contestants = engines.stream()
                .map(name -> Contestants.named(name, context.servers(), batch))
                .toList();
        for (int round = 0; round <= rounds; round++) {
            for (Map.Entry<String, KeyDistribution> variant : List.of(
                    Map.entry("one key", KeyDistribution.ONE_KEY),
                    Map.entry(String.format("1%% of %,d keys have half", keys), KeyDistribution.HOT))) {
                DrainRun draining = new DrainRun(context, "hot-key", new Load(variant.getValue(), keys, payload));
                for (Contestant contestant : BenchContext.inTurn(contestants, round)) {
                    draining.fresh(
                            variant.getKey(), contestant, round == 0 ? Math.max(1_000, events / 4) : events, round);
                }
            }
        }
    }
}
