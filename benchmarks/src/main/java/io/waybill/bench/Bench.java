package io.waybill.bench;

import io.waybill.bench.load.KeyDistribution;
import io.waybill.bench.load.Load;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The program {@code ./waybill bench}. */
@Command(
        name = "waybill bench",
        description =
                "Measures Waybill and bare loops in turns on the same servers. Compare the ratios, because absolute figures"
                        + " depend on the machine. A consumer checks every run. A run that fails its check shows no figure, and the"
                        + " exit code is 1. Without a command, all scenarios except inbox, saga and peers run in a short form.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  ./waybill bench --json results.json --chart results.svg",
            "  ./waybill bench drain --events 200000 --batch 500 --engines journal,queue --rounds 3",
            "  ./waybill bench drain --tracing 0,1 --rounds 5",
            "  ./waybill bench held --old-rows 10000000 --engines journal",
            "  ./waybill bench inbox",
            "  ./waybill bench saga",
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
        Load load = new Load(KeyDistribution.EVEN, 10_000, 256);
        return common.run(List.of(
                new Drain(
                        List.of("journal", "queue", "update", "delete", "cursor"), 100_000, 2_000, 2, load, List.of()),
                new Sustained(List.of("journal", "update"), 6, List.of(1, 100), 4, 2_000, 1, load),
                new Latency(List.of("journal", "journal-hinted", "update"), 500, 8, 500, 1, load),
                new OpenTransaction(List.of("journal", "update"), 50_000, 2_000, 1, 500_000, load),
                new HotKey(List.of("journal", "update"), 20_000, 2_000, 1, 10_000, 256),
                new Idle(List.of("journal", "queue"), 5, 1)));
    }

    @Command(
            description =
                    "Publishes a backlog until all events are acknowledged and settled; also shows dead rows and WAL.",
            mixinStandardHelpOptions = true)
    int drain(
            @Mixin CommonOptions options,
            @Mixin EngineOptions engines,
            @Option(
                            names = "--events",
                            defaultValue = "200000",
                            description = "Size of the backlog (default ${DEFAULT-VALUE})")
                    int events,
            @Option(
                            names = "--tracing",
                            split = ",",
                            paramLabel = "PERCENT",
                            description =
                                    "Give all events a trace context, and measure each engine without OpenTelemetry and with spans for"
                                            + " these percentages of events, such as 0,1")
                    @Nullable
                    List<Double> sampled)
            throws Exception {
        return options.run(List.of(new Drain(
                sampled == null
                        ? engines.engines("journal", "queue", "update", "delete", "cursor")
                        : engines.engines("journal"),
                events,
                engines.batch(),
                engines.rounds(),
                engines.load(),
                sampled == null ? List.of() : sampled)));
    }

    @Command(
            description = "Appends at full speed while the relay runs. The cursor loop loses events here.",
            mixinStandardHelpOptions = true)
    int sustained(
            @Mixin CommonOptions options,
            @Mixin EngineOptions engines,
            @Option(
                            names = "--seconds",
                            defaultValue = "15",
                            description = "Duration in seconds (default ${DEFAULT-VALUE})")
                    int seconds,
            @Option(
                            names = "--per-transaction",
                            split = ",",
                            defaultValue = "1,100",
                            description = "Events per transaction (default ${DEFAULT-VALUE})")
                    List<Integer> sizes,
            @Option(
                            names = "--writers",
                            defaultValue = "4",
                            description = "Number of writer threads (default ${DEFAULT-VALUE})")
                    int writers)
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

    @Command(
            description = "Measures the time from commit to consumer at a steady rate.",
            mixinStandardHelpOptions = true)
    int latency(
            @Mixin CommonOptions options,
            @Mixin EngineOptions engines,
            @Option(
                            names = "--rate",
                            defaultValue = "500",
                            description = "Events per second (default ${DEFAULT-VALUE})")
                    int rate,
            @Option(
                            names = "--seconds",
                            defaultValue = "15",
                            description = "Duration in seconds (default ${DEFAULT-VALUE})")
                    int seconds)
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
            description = "Measures the drain beside an open transaction and with many published rows.",
            mixinStandardHelpOptions = true)
    int held(
            @Mixin CommonOptions options,
            @Mixin EngineOptions engines,
            @Option(
                            names = "--events",
                            defaultValue = "200000",
                            description = "Size of the backlog (default ${DEFAULT-VALUE})")
                    int events,
            @Option(
                            names = "--old-rows",
                            defaultValue = "1000000",
                            description =
                                    "Published rows in the table (default ${DEFAULT-VALUE}); ten million need 8 GB of disk")
                    long oldRows)
            throws Exception {
        return options.run(List.of(new OpenTransaction(
                engines.engines("journal", "queue", "update", "cursor"),
                events,
                engines.batch(),
                engines.rounds(),
                oldRows,
                engines.load())));
    }

    @Command(
            name = "hot-key",
            description = "Measures a backlog of one key, and one in which 1 %% of the keys have half of the events.",
            mixinStandardHelpOptions = true)
    int hotKey(
            @Mixin CommonOptions options,
            @Mixin EngineOptions engines,
            @Option(
                            names = "--events",
                            defaultValue = "50000",
                            description = "Size of the backlog (default ${DEFAULT-VALUE})")
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

    @Command(description = "Measures the cost of an idle relay.", mixinStandardHelpOptions = true)
    int idle(
            @Mixin CommonOptions options,
            @Mixin EngineOptions engines,
            @Option(
                            names = "--seconds",
                            defaultValue = "15",
                            description = "Duration in seconds (default ${DEFAULT-VALUE})")
                    int seconds)
            throws Exception {
        return options.run(List.of(new Idle(engines.engines("journal", "queue"), seconds, engines.rounds())));
    }

    @Command(
            description = "Applies events through the inbox and through a bare loop; needs no broker.",
            mixinStandardHelpOptions = true)
    int inbox(
            @Mixin CommonOptions options,
            @Option(
                            names = "--events",
                            defaultValue = "20000",
                            description = "Number of events (default ${DEFAULT-VALUE})")
                    int events,
            @Option(names = "--batch", defaultValue = "50", description = "Batch size (default ${DEFAULT-VALUE})")
                    int batch,
            @Option(
                            names = "--rounds",
                            defaultValue = "3",
                            description = "Number of measured rounds (default ${DEFAULT-VALUE})")
                    int rounds,
            @Option(
                            names = "--threads",
                            defaultValue = "4",
                            description = "Number of consumer threads (default ${DEFAULT-VALUE})")
                    int threads)
            throws Exception {
        return options.run(List.of(new InboxCost(events, batch, rounds, threads)));
    }

    @Command(
            description =
                    "Runs sagas of three commands over Kafka, with the engine and with hand-written code that makes the same commits;"
                            + " then the engine again beside many ended and many waiting sagas.",
            mixinStandardHelpOptions = true)
    int saga(
            @Mixin CommonOptions options,
            @Option(
                            names = "--sagas",
                            defaultValue = "3000",
                            description = "Number of sagas in a run (default ${DEFAULT-VALUE})")
                    int sagas,
            @Option(
                            names = "--rounds",
                            defaultValue = "3",
                            description = "Number of measured rounds (default ${DEFAULT-VALUE})")
                    int rounds,
            @Option(
                            names = "--ended",
                            defaultValue = "1000000",
                            description = "Ended sagas in the table (default ${DEFAULT-VALUE}); 0 omits this variant")
                    long ended,
            @Option(
                            names = "--waiting",
                            defaultValue = "100000",
                            description =
                                    "Waiting sagas beside an idle engine (default ${DEFAULT-VALUE}); 0 omits this variant")
                    long waiting)
            throws Exception {
        return options.run(List.of(new SagaThroughput(sagas, rounds, ended), new SagaIdle(waiting, rounds)));
    }

    @Command(
            description =
                    "Compares the journal with Debezium's embedded engine, namastack-outbox, Spring Modulith, gruelbox"
                            + " transaction-outbox and db-scheduler, each in its own JVM.",
            mixinStandardHelpOptions = true)
    int peers(
            @Mixin CommonOptions options,
            @Option(
                            names = "--peers",
                            split = ",",
                            defaultValue = "debezium,namastack,modulith,gruelbox,dbscheduler",
                            description = "Names of the peers (default ${DEFAULT-VALUE})")
                    List<String> peers,
            @Option(
                            names = "--events",
                            defaultValue = "100000",
                            description = "Backlog of the journal and Debezium (default ${DEFAULT-VALUE})")
                    int events,
            @Option(
                            names = "--slow-events",
                            defaultValue = "10000",
                            description = "Backlog of the other peers (default ${DEFAULT-VALUE})")
                    int slowEvents,
            @Option(
                            names = "--batch",
                            defaultValue = "2000",
                            description = "Batch size of the journal (default ${DEFAULT-VALUE})")
                    int batch,
            @Option(
                            names = "--rounds",
                            defaultValue = "1",
                            description = "Number of measured rounds (default ${DEFAULT-VALUE})")
                    int rounds,
            @Option(
                            names = "--rate",
                            defaultValue = "500",
                            description = "Events per second of the latency measurement (default ${DEFAULT-VALUE})")
                    int rate,
            @Option(
                            names = "--seconds",
                            defaultValue = "8",
                            description =
                                    "Duration of the latency measurement in seconds (default ${DEFAULT-VALUE}); 0 omits it")
                    int seconds,
            @Option(
                            names = "--payload",
                            defaultValue = "256",
                            description = "Payload size in bytes (default ${DEFAULT-VALUE})")
                    int payload)
            throws Exception {
        Path folder = Path.of(System.getProperty("waybill.bench.peers", "."));
        return options.run(
                List.of(new Peers(peers, events, slowEvents, rounds, rate, seconds, batch, payload, folder)));
    }
}
