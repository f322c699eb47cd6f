package io.waybill.bench;

import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.Contestants;
import io.waybill.bench.contest.Running;
import io.waybill.bench.contest.Schema;
import io.waybill.bench.contest.Topic;
import io.waybill.bench.measure.Cpu;
import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Figures;
import io.waybill.bench.measure.Verdict;
import io.waybill.bench.report.Section;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a relay costs that has nothing to do; each of its queries is a transaction. */
record Idle(List<String> engines, int seconds, int rounds) implements Scenario {
    @Override
    public Section section() {
        return new Section(
                "idle", String.format("nothing to relay for %d s; median of %d", seconds, rounds), List.of(), "");
    }

    @Override
    public void run(Contest contest) throws Exception {
        for (int round = 1; round <= rounds; round++) {
            nobody(contest, round);
            for (String name : Contest.inTurn(engines, round)) {
                one(contest, Contestants.named(name, contest.servers(), 500), round);
            }
        }
    }

    /** What the servers and this JVM cost without a relay: to be taken off the others in the mind. */
    private void nobody(Contest contest, int round) throws InterruptedException {
        contest.progress().doing("idle: nobody");
        Cpu before = contest.servers().cpuTime().now();
        TimeUnit.SECONDS.sleep(seconds);
        contest.add(new Figures()
                .perSecond(contest.servers().cpuTime().now().minus(before), seconds)
                .put(Figure.QUERIES, 0)
                .run("idle", "", "no relay", round, Verdict.NOTHING_SENT));
    }

    private void one(Contest contest, Contestant contestant, int round) throws Exception {
        contest.progress().doing("idle: " + contestant.name());
        try (Topic topic = Topic.create(contest.servers(), contestant.name());
                Schema schema = contestant.create("run")) {
            double transactions = schema.transactions();
            Figures figures = new Figures();
            long start;
            try (Running relay = contestant.relay(schema, topic.name())) {
                start = System.nanoTime();
                relay.begin();
                TimeUnit.SECONDS.sleep(2); // it has started, taken its lanes and found nothing
                Cpu before = contest.servers().cpuTime().now();
                long began = System.nanoTime();
                TimeUnit.SECONDS.sleep(seconds);
                double passed = (System.nanoTime() - began) / 1e9;
                figures.perSecond(contest.servers().cpuTime().now().minus(before), passed);
            }
            double ran = (System.nanoTime() - start) / 1e9;
            figures.put(Figure.QUERIES, (schema.transactions() - transactions) / ran);
            contest.add(figures.run("idle", "", contestant.name(), round, topic.check(0, contestant.ordered())));
            schema.drop();
        }
    }
}
