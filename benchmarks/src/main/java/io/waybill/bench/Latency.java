package io.waybill.bench;

import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.Contestants;
import io.waybill.bench.contest.RunningRelay;
import io.waybill.bench.contest.Schema;
import io.waybill.bench.contest.Sink;
import io.waybill.bench.load.Load;
import io.waybill.bench.measure.Figures;
import io.waybill.bench.report.Section;
import java.util.List;

/** Measures the time from the commit until a consumer receives the event, at a steady rate. */
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
    public void run(BenchContext context) throws Exception {
        warmUp(context, "latency", "");
        for (int round = 1; round <= rounds; round++) {
            round(context, "latency", "", round);
        }
    }

    /**
     * Warms up at several rates, so that no contestant is measured while the JVM still compiles. Code that runs for each event is compiled after tens
     * of thousands of events. Code that runs for each transaction is compiled after thousands of transactions, of which a high rate has few.
     */
    void warmUp(BenchContext context, String scenario, String variant) throws Exception {
        for (int times : WARM_UP) {
            all(context, scenario, variant, times * rate, 0);
        }
    }

    void round(BenchContext context, String scenario, String variant, int round) throws Exception {
        all(context, scenario, variant, rate, round);
    }

    private void all(BenchContext context, String scenario, String variant, int perSecond, int round) throws Exception {
        if (seconds == 0) {
            return;
        }
        for (String name : BenchContext.inTurn(engines, round)) {
            one(context, scenario, variant, Contestants.named(name, context.servers(), batch), perSecond, round);
        }
    }

    private void one(
            BenchContext context, String scenario, String variant, Contestant contestant, int perSecond, int round)
            throws Exception {
        int events = perSecond * seconds;
        context.progress().doing(scenario + ": latency of " + contestant.name());
        try (Sink topic = context.servers().sink(contestant.name());
                Schema schema = contestant.create("run")) {
            Figures figures = new Figures();
            try (RunningRelay relay = contestant.relay(schema, topic.name());
                    Arrivals arrivals = new Arrivals(topic, 0, events)) {
                relay.begin();
                new Writers(contestant, schema, load, topic.name(), WRITERS)
                        .steadily(perSecond, events, relay, arrivals::committed);
                arrivals.await(figures);
                DrainRun.await(relay, events);
            }
            context.add(figures.run(
                    scenario, variant, contestant.name(), round, topic.check(events, contestant.ordered())));
            schema.drop();
        }
    }
}
