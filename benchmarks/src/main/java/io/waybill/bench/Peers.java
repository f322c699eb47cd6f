package io.waybill.bench;

import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.Contestants;
import io.waybill.bench.load.KeyDistribution;
import io.waybill.bench.load.Load;
import io.waybill.bench.report.Section;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Compares other systems with the journal, in turns.
 *
 * @param events of the journal and of Debezium; the others, which need a hundred times as long, get {@code slowEvents}
 * @param folder a file NAME.classpath for each peer
 */
record Peers(
        List<String> names,
        int events,
        int slowEvents,
        int rounds,
        int rate,
        int seconds,
        int batch,
        int payload,
        Path folder)
        implements Scenario {

    @Override
    public Section section() {
        return new Section(
                "peers",
                String.format(
                        "a backlog of %,d events (journal, debezium) or %,d, %d bytes each; latency at %,d events/s;"
                                + " median of %d",
                        events, slowEvents, payload, rate, rounds),
                List.of("journal"),
                "");
    }

    @Override
    public void run(BenchContext context) throws Exception {
        Contestant journal = Contestants.named("journal", context.servers(), batch);
        Load load = new Load(KeyDistribution.EVEN, 10_000, payload);
        DrainRun draining = new DrainRun(context, "peers", load);
        Latency latency = new Latency(List.of("journal", "journal-hinted"), rate, seconds, batch, rounds, load);
        Path log = Files.createTempFile("waybill-bench-peers-", ".log");
        Set<String> givenUp = new HashSet<>();
        draining.warmUp("drain", List.of(journal), events);
        latency.warmUp(context, "peers", "latency");
        for (int round = 1; round <= rounds; round++) {
            draining.fresh("drain", journal, events, round);
            latency.round(context, "peers", "latency", round);
            for (String name : BenchContext.inTurn(new ArrayList<>(names), round)) {
                if (!givenUp.contains(name) && !peer(context, name, log, round)) {
                    givenUp.add(name);
                }
            }
        }
        if (givenUp.isEmpty()) {
            Files.deleteIfExists(log);
        } else {
            throw new IllegalStateException(
                    String.join(", ", givenUp) + " could not be measured. See " + log + " for what they said.");
        }
    }

    private boolean peer(BenchContext context, String name, Path log, int round) throws Exception {
        Path classpath = folder.resolve(name + ".classpath");
        if (!Files.exists(classpath)) {
            context.progress().done("peers: " + name + " is not built, or there is no such peer");
            return false;
        }
        int count = name.equals("debezium") ? events : slowEvents;
        try {
            new PeerRun(context, name, classpath, log, count, rate, seconds, round).run(payload);
            return true;
        } catch (IOException | IllegalStateException e) {
            context.progress().done("peers: " + name + " was given up: " + e.getMessage());
            return false;
        }
    }
}
