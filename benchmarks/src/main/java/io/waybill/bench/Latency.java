package io.waybill.bench;

import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.Contestants;
import io.waybill.bench.contest.Running;
import io.waybill.bench.contest.Schema;
import io.waybill.bench.contest.Sink;
import io.waybill.bench.load.Load;
import io.waybill.bench.measure.Figures;
import io.waybill.bench.report.Section;
import java.util.List;

/** From the commit until a consumer has the event in its hands, at a steady rate. */
record Latency(List<String> engines, int rate, int seconds, int batch, int rounds, Load load) implements Scenario {
    private static final int WRITERS = 4;
    private static final List<Integer> WARM_UP = List.of(4, 8, 1, 1, 1, 1);

    @Override
    public Section section() {
        return new Section(
                "latency",
                String.format(
                        "from commit to consumer, %,d events a second, one in a transaction, for %d s; median of %d",
                        rate, seconds, rounds),
                List.of(),
                "");
    }

    @Override
    public void run(Contest contest) throws Exception {
        warmUp(contest, "latency", "");
        for (int round = 1; round <= rounds; round++) {
            round(contest, "latency", "", round);
        }
    }

    /**
     * At several rates, so that nobody is measured while the JVM still compiles: what is done for each event is compiled after tens
     * of thousands of them, what is done for each transaction after thousands of these, which a high rate makes few of.
     */
    void warmUp(Contest contest, String scenario, String variant) throws Exception {
        for (int times : WARM_UP) {
            all(contest, scenario, variant, times * rate, 0);
        }
    }

    void round(Contest contest, String scenario, String variant, int round) throws Exception {
        all(contest, scenario, variant, rate, round);
    }

    private void all(Contest contest, String scenario, String variant, int perSecond, int round) throws Exception {
        if (seconds == 0) {
            return;
        }
        for (String name : Contest.inTurn(engines, round)) {
            one(contest, scenario, variant, Contestants.named(name, contest.servers(), batch), perSecond, round);
        }
    }

    private void one(Contest contest, String scenario, String variant, Contestant contestant, int perSecond, int round)
            throws Exception {
        int events = perSecond * seconds;
        contest.progress().doing(scenario + ": latency of " + contestant.name());
        try (Sink topic = contest.servers().sink(contestant.name());
                Schema schema = contestant.create("run")) {
            Figures figures = new Figures();
            try (Running relay = contestant.relay(schema, topic.name());
                    Arrivals arrivals = new Arrivals(topic, 0, events)) {
                relay.begin();
                new Writers(contestant, schema, load, topic.name(), WRITERS)
                        .steadily(perSecond, events, relay, arrivals::committed);
                arrivals.await(figures);
                Draining.await(relay, events);
            }
            contest.add(figures.run(
                    scenario, variant, contestant.name(), round, topic.check(events, contestant.ordered())));
            schema.drop();
        }
    }
}
