package io.waybill.bench;

import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.Contestants;
import io.waybill.bench.contest.RunningRelay;
import io.waybill.bench.contest.Schema;
import io.waybill.bench.contest.Topic;
import io.waybill.bench.measure.Cpu;
import io.waybill.bench.measure.DeliveryCheck;
import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Figures;
import io.waybill.bench.report.Section;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The cost of an idle relay. Each of its queries is a transaction. */
record Idle(List<String> engines, int seconds, int rounds) implements Scenario {
    @Override
    public Section section() {
        return new Section(
                "idle", String.format("nothing to relay for %d s; median of %d", seconds, rounds), List.of(), "");
    }

    @Override
    public void run(BenchContext context) throws Exception {
        for (int round = 1; round <= rounds; round++) {
            withoutRelay(context, round);
            for (String name : BenchContext.inTurn(engines, round)) {
                one(context, Contestants.named(name, context.servers(), 500), round);
            }
        }
    }

    /** The cost of the servers and this JVM without a relay, for comparison. */
    private void withoutRelay(BenchContext context, int round) throws InterruptedException {
        context.progress().doing("idle: without a relay");
        Cpu before = context.servers().cpuTime().now();
        TimeUnit.SECONDS.sleep(seconds);
        context.add(new Figures()
                .perSecond(context.servers().cpuTime().now().minus(before), seconds)
                .put(Figure.QUERIES, 0)
                .run("idle", "", "no relay", round, DeliveryCheck.NOTHING_SENT));
    }

    private void one(BenchContext context, Contestant contestant, int round) throws Exception {
        context.progress().doing("idle: " + contestant.name());
        try (Topic topic = Topic.create(context.servers(), contestant.name());
                Schema schema = contestant.create("run")) {
            double transactions = schema.transactions();
            Figures figures = new Figures();
            long start;
            try (RunningRelay relay = contestant.relay(schema, topic.name())) {
                start = System.nanoTime();
                relay.begin();
                TimeUnit.SECONDS.sleep(2); // the relay has acquired its lanes and is idle now
                Cpu before = context.servers().cpuTime().now();
                long began = System.nanoTime();
                TimeUnit.SECONDS.sleep(seconds);
                double passed = (System.nanoTime() - began) / 1e9;
                figures.perSecond(context.servers().cpuTime().now().minus(before), passed);
            }
            double ran = (System.nanoTime() - start) / 1e9;
            figures.put(Figure.QUERIES, (schema.transactions() - transactions) / ran);
            context.add(figures.run("idle", "", contestant.name(), round, topic.check(0, contestant.ordered())));
            schema.drop();
        }
    }
}
