package io.waybill.bench;

import io.waybill.bench.load.Load;
import io.waybill.bench.load.Spread;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The benchmark program. */
@Command(
        name = "waybill bench",
        description =
                "Measures Waybill beside bare loops, in turns, on the same machine. Read the ratios: absolute figures"
                        + " belong to the machine. Every run is checked by a consumer; one that fails shows no figure, and the exit"
                        + " code is 1. Without a command: a short run of everything but peers.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  ./waybill bench --json results.json --chart results.svg",
            "  ./waybill bench drain --events 200000 --batch 500 --engines journal,queue --rounds 3",
            "  ./waybill bench held --old-rows 10000000 --engines journal",
            "  ./waybill bench inbox",
            "  ./waybill bench peers"
        })
public final class Bench implements Callable<Integer> {
    @Mixin
    private CommonOptions common = new CommonOptions();

    private Bench() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Bench()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Load load = new Load(Spread.EVEN, 10_000, 256);
        return common.run(List.of(
                new Drain(List.of("journal", "queue", "update", "delete", "cursor"), 100_000, 2_000, 2, load),
                new Sustained(List.of("journal", "update"), 6, List.of(1, 100), 4, 2_000, 1, load),
                new Latency(List.of("journal", "journal-hinted", "update"), 500, 8, 500, 1, load),
                new Held(List.of("journal", "update"), 50_000, 2_000, 1, 500_000, load),
                new HotKey(List.of("journal", "update"), 20_000, 2_000, 1, 10_000, 256),
                new Idle(List.of("journal", "queue"), 5, 1)));
    }

    @Command(
            description = "Relays a backlog until all is acknowledged and settled; shows dead rows and WAL, too.",
            mixinStandardHelpOptions = true)
    int drain(
            @Mixin CommonOptions options,
            @Mixin EngineOptions engines,
            @Option(names = "--events", defaultValue = "200000", description = "the backlog (${DEFAULT-VALUE})")
                    int events)
            throws Exception {
        return options.run(List.of(new Drain(
                engines.engines("journal", "queue", "update", "delete", "cursor"),
                events,
                engines.batch(),
                engines.rounds(),
                engines.load())));
    }

    @Command(
            description = "Writers append as fast as they can while the relay runs. The cursor loop loses events here.",
            mixinStandardHelpOptions = true)
    int sustained(
            @Mixin CommonOptions options,
            @Mixin EngineOptions engines,
            @Option(names = "--seconds", defaultValue = "15", description = "how long (${DEFAULT-VALUE})") int seconds,
            @Option(
                            names = "--per-transaction",
                            split = ",",
                            defaultValue = "1,100",
                            description = "events in a transaction (${DEFAULT-VALUE})")
                    List<Integer> sizes,
            @Option(names = "--writers", defaultValue = "4", description = "threads (${DEFAULT-VALUE})") int writers)
            throws Exception {
        return options.run(List.of(new Sustained(
                engines.engines("journal", "queue", "update", "delete"),
                seconds,
                sizes,
                writers,
                engines.batch(),
                engines.rounds(),
                engines.load())));
    }

    @Command(description = "From commit to consumer, at a steady rate.", mixinStandardHelpOptions = true)
    int latency(
            @Mixin CommonOptions options,
            @Mixin EngineOptions engines,
            @Option(names = "--rate", defaultValue = "500", description = "events per second (${DEFAULT-VALUE})")
                    int rate,
            @Option(names = "--seconds", defaultValue = "15", description = "how long (${DEFAULT-VALUE})") int seconds)
            throws Exception {
        return options.run(List.of(new Latency(
                engines.engines("journal", "journal-hinted", "queue", "update"),
                rate,
                seconds,
                engines.batch(),
                engines.rounds(),
                engines.load())));
    }

    @Command(
            description = "The drain while a transaction stays open, and on top of old rows.",
            mixinStandardHelpOptions = true)
    int held(
            @Mixin CommonOptions options,
            @Mixin EngineOptions engines,
            @Option(names = "--events", defaultValue = "200000", description = "the backlog (${DEFAULT-VALUE})")
                    int events,
            @Option(
                            names = "--old-rows",
                            defaultValue = "1000000",
                            description =
                                    "published rows in the table (${DEFAULT-VALUE}); ten million need 8 GB of disk")
                    long oldRows)
            throws Exception {
        return options.run(List.of(new Held(
                engines.engines("journal", "queue", "update", "cursor"),
                events,
                engines.batch(),
                engines.rounds(),
                oldRows,
                engines.load())));
    }

    @Command(
            name = "hot-key",
            description = "A backlog of one key, and one in which 1 % of the keys have half of the events.",
            mixinStandardHelpOptions = true)
    int hotKey(
            @Mixin CommonOptions options,
            @Mixin EngineOptions engines,
            @Option(names = "--events", defaultValue = "50000", description = "the backlog (${DEFAULT-VALUE})")
                    int events)
            throws Exception {
        return options.run(List.of(new HotKey(
                engines.engines("journal", "queue", "update", "cursor"),
                events,
                engines.batch(),
                engines.rounds(),
                engines.keys(),
                engines.payload())));
    }

    @Command(description = "What a relay costs that has nothing to do.", mixinStandardHelpOptions = true)
    int idle(
            @Mixin CommonOptions options,
            @Mixin EngineOptions engines,
            @Option(names = "--seconds", defaultValue = "15", description = "how long (${DEFAULT-VALUE})") int seconds)
            throws Exception {
        return options.run(List.of(new Idle(engines.engines("journal", "queue"), seconds, engines.rounds())));
    }

    @Command(
            description = "Applies events through the inbox and through a bare loop; needs no broker.",
            mixinStandardHelpOptions = true)
    int inbox(
            @Mixin CommonOptions options,
            @Option(names = "--events", defaultValue = "20000", description = "how many (${DEFAULT-VALUE})") int events,
            @Option(names = "--batch", defaultValue = "50", description = "events in a batch (${DEFAULT-VALUE})")
                    int batch,
            @Option(names = "--rounds", defaultValue = "3", description = "rounds that count (${DEFAULT-VALUE})")
                    int rounds,
            @Option(names = "--threads", defaultValue = "4", description = "consumers (${DEFAULT-VALUE})") int threads)
            throws Exception {
        return options.run(List.of(new Applying(events, batch, rounds, threads)));
    }

    @Command(
            description =
                    "Debezium's embedded engine, namastack-outbox, Spring Modulith, gruelbox transaction-outbox and"
                            + " db-scheduler beside the journal, each in a JVM of its own.",
            mixinStandardHelpOptions = true)
    int peers(
            @Mixin CommonOptions options,
            @Option(
                            names = "--peers",
                            split = ",",
                            defaultValue = "debezium,namastack,modulith,gruelbox,dbscheduler",
                            description = "which (${DEFAULT-VALUE})")
                    List<String> peers,
            @Option(
                            names = "--events",
                            defaultValue = "100000",
                            description = "the backlog of journal and Debezium (${DEFAULT-VALUE})")
                    int events,
            @Option(
                            names = "--slow-events",
                            defaultValue = "10000",
                            description = "the backlog of the others (${DEFAULT-VALUE})")
                    int slowEvents,
            @Option(names = "--batch", defaultValue = "2000", description = "the journal's (${DEFAULT-VALUE})")
                    int batch,
            @Option(names = "--rounds", defaultValue = "1", description = "rounds that count (${DEFAULT-VALUE})")
                    int rounds,
            @Option(
                            names = "--rate",
                            defaultValue = "500",
                            description = "events per second while latency is measured (${DEFAULT-VALUE})")
                    int rate,
            @Option(
                            names = "--seconds",
                            defaultValue = "8",
                            description = "how long latency is measured (${DEFAULT-VALUE}); 0 leaves it out")
                    int seconds,
            @Option(names = "--payload", defaultValue = "256", description = "bytes of a payload (${DEFAULT-VALUE})")
                    int payload)
            throws Exception {
        Path folder = Path.of(System.getProperty("waybill.bench.peers", "."));
        return options.run(
                List.of(new Peers(peers, events, slowEvents, rounds, rate, seconds, batch, payload, folder)));
    }
}
