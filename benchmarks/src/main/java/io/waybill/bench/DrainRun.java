package io.waybill.bench;

import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.RunningRelay;
import io.waybill.bench.contest.Schema;
import io.waybill.bench.contest.Sink;
import io.waybill.bench.load.Load;
import io.waybill.bench.measure.Cpu;
import io.waybill.bench.measure.DeliveryCheck;
import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Figures;
import io.waybill.bench.measure.Run;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Fills a table and measures a relay from its start until the last event is acknowledged and settled. */
record DrainRun(BenchContext context, String scenario, Load load) {
    private static final int WARM_UPS = 4;
    private static final Duration STUCK = Duration.ofSeconds(60);

    /** The number of warm-up drains. After one drain, the JVM has compiled a bare loop, but only a fraction of a relay. */
    void warmUp(String variant, List<Contestant> contestants, int events) throws Exception {
        for (int i = 0; i < WARM_UPS; i++) {
            for (Contestant contestant : contestants) {
                fresh(variant, contestant, events, 0);
            }
        }
    }

    /** A run on new tables. */
    void fresh(String variant, Contestant contestant, int events, int round) throws Exception {
        try (Schema schema = contestant.create("run")) {
            on(schema, variant, contestant, events, round);
            schema.drop();
        }
    }

    /** A run on tables that may contain older events. */
    void on(Schema schema, String variant, Contestant contestant, int events, int round) throws Exception {
        context.progress().doing(scenario + ": filling the table of " + contestant.name());
        try (Sink topic = context.servers().sink(contestant.name())) {
            contestant.fill(schema, load, events, topic.name());
            schema.settle();
            double deadRows = schema.deadRows();
            Figures figures = new Figures();
            try (RunningRelay relay = contestant.relay(schema, topic.name())) {
                context.progress().doing(scenario + ": " + contestant.name() + " drains " + events + " events");
                double wal = schema.walPosition();
                Cpu before = context.servers().cpuTime().now();
                long start = System.nanoTime();
                relay.begin();
                await(relay, events);
                double seconds = (System.nanoTime() - start) / 1e9;
                Cpu spent = context.servers().cpuTime().now().minus(before);
                figures.put(Figure.RATE, events / seconds)
                        .perEvent(spent, events)
                        .put(Figure.RELAY_WAL, (schema.walPosition() - wal) / events);
            }
            figures.put(Figure.DEAD_ROWS, (schema.deadRows() - deadRows) / events);
            context.progress().doing(scenario + ": checking what " + contestant.name() + " sent");
            DeliveryCheck verdict = topic.check(events, contestant.ordered());
            Run run = figures.run(scenario, variant, contestant.name(), round, verdict);
            context.add(run);
        }
    }

    /** Polls a cheap counter, and queries the database only when all events must be published. */
    static void await(RunningRelay relay, int events) throws Exception {
        long last = -1;
        long moved = System.nanoTime();
        while (relay.published() < events || !relay.settled()) {
            long now = relay.published();
            if (now != last) {
                last = now;
                moved = System.nanoTime();
            } else if (System.nanoTime() - moved > STUCK.toNanos()) {
                throw new IllegalStateException(
                        "No progress at " + now + " of " + events + " events for " + STUCK.toSeconds() + " s.");
            }
            TimeUnit.MICROSECONDS.sleep(500);
        }
    }
}
