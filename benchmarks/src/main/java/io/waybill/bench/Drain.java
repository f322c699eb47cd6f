package io.waybill.bench;

import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.Contestants;
import io.waybill.bench.load.Load;
import io.waybill.bench.report.Section;
import java.util.List;

/** A backlog, from the relay's start until all is acknowledged and settled; and what an append adds to the WAL. */
record Drain(List<String> engines, int events, int batch, int rounds, Load load) implements Scenario {
    @Override
    public Section section() {
        return new Section(
                "drain",
                String.format(
                        "a backlog of %,d events of %,d keys, %d bytes each, batch %,d; median of %d",
                        events, load.keys(), load.payloadBytes(), batch, rounds),
                List.of("update", "cursor"),
                "");
    }

    @Override
    public void run(Contest contest) throws Exception {
        List<Contestant> contestants = engines.stream()
                .map(name -> Contestants.named(name, contest.servers(), batch))
                .toList();
        Draining draining = new Draining(contest, section().scenario(), load);
        draining.warmUp("", contestants, events);
        for (int round = 1; round <= rounds; round++) {
            for (Contestant contestant : Contest.inTurn(contestants, round)) {
                draining.fresh("", contestant, events, round);
            }
        }
        for (Contestant contestant : contestants) {
            new AppendWal(contest, load).measure(contestant);
        }
    }
}
