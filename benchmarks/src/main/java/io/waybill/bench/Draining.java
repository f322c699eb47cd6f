package io.waybill.bench;

import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.Running;
import io.waybill.bench.contest.Schema;
import io.waybill.bench.contest.Sink;
import io.waybill.bench.load.Load;
import io.waybill.bench.measure.Cpu;
import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Figures;
import io.waybill.bench.measure.Run;
import io.waybill.bench.measure.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Fills a table, lets a relay empty it, and measures from its start until the last event is acknowledged and settled. */
record Draining(Contest contest, String scenario, Load load) {
    private static final int WARM_UPS = 4;
    private static final Duration STUCK = Duration.ofSeconds(60);

    /** Round 0, several times: after one drain the compiler is done with a bare loop and has seen a fraction of a relay's code. */
    void warmUp(String variant, List<Contestant> contestants, int events) throws Exception {
        for (int i = 0; i < WARM_UPS; i++) {
            for (Contestant contestant : contestants) {
                fresh(variant, contestant, events, 0);
            }
        }
    }

    /** A run on tables of its own. */
    void fresh(String variant, Contestant contestant, int events, int round) throws Exception {
        try (Schema schema = contestant.create("run")) {
            on(schema, variant, contestant, events, round);
            schema.drop();
        }
    }

    /** A run on tables that may hold older events. */
    void on(Schema schema, String variant, Contestant contestant, int events, int round) throws Exception {
        contest.progress().doing(scenario + ": filling the table of " + contestant.name());
        try (Sink topic = contest.servers().sink(contestant.name())) {
            contestant.fill(schema, load, events, topic.name());
            schema.settle();
            double deadRows = schema.deadRows();
            Figures figures = new Figures();
            try (Running relay = contestant.relay(schema, topic.name())) {
                contest.progress().doing(scenario + ": " + contestant.name() + " drains " + events + " events");
                double wal = schema.walPosition();
                Cpu before = contest.servers().cpuTime().now();
                long start = System.nanoTime();
                relay.begin();
                await(relay, events);
                double seconds = (System.nanoTime() - start) / 1e9;
                Cpu spent = contest.servers().cpuTime().now().minus(before);
                figures.put(Figure.RATE, events / seconds)
                        .perEvent(spent, events)
                        .put(Figure.RELAY_WAL, (schema.walPosition() - wal) / events);
            }
            figures.put(Figure.DEAD_ROWS, (schema.deadRows() - deadRows) / events);
            contest.progress().doing(scenario + ": checking what " + contestant.name() + " sent");
            Verdict verdict = topic.check(events, contestant.ordered());
            Run run = figures.run(scenario, variant, contestant.name(), round, verdict);
            contest.add(run);
        }
    }

    /** Looking at a counter costs nothing; the database is asked only when all must be there. */
    static void await(Running relay, int events) throws Exception {
        long last = -1;
        long moved = System.nanoTime();
        while (relay.published() < events || !relay.settled()) {
            long now = relay.published();
            if (now != last) {
                last = now;
                moved = System.nanoTime();
            } else if (System.nanoTime() - moved > STUCK.toNanos()) {
                throw new IllegalStateException(
                        "Stuck at " + now + " of " + events + " events for " + STUCK.toSeconds() + " s.");
            }
            TimeUnit.MICROSECONDS.sleep(500);
        }
    }
}
