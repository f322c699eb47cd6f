package io.waybill.chaos;

import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.chaos.fault.Fault;
import io.waybill.chaos.fault.Faults;
import io.waybill.chaos.report.HtmlReport;
import io.waybill.chaos.report.JsonReport;
import io.waybill.chaos.report.ProgressOutput;
import io.waybill.chaos.report.RunResult;
import io.waybill.chaos.report.TextReport;
import io.waybill.faults.saga.SagaBug;
import io.waybill.jdbc.Engine;
import io.waybill.processes.TransportBug;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The program {@code ./waybill chaos}. */
@Command(
        name = "waybill chaos",
        description = {
            "Runs writers, relays, consumers and saga engines in child processes, injects faults, ends them, waits until the backlog is"
                    + " published, and checks that no event was lost, published without a commit, altered, published out of order or"
                    + " applied twice, and that every saga has all of its effects or none.",
            "The same seed and options give the same schedule of faults. The seed is printed first."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Exit codes: 0 all invariants hold; 1 an invariant is violated, or the run failed; 2 wrong usage.",
            "",
            "Examples:",
            "  ./waybill chaos                                        all faults, one minute",
            "  ./waybill chaos --minutes 30 --relays 3                a long run",
            "  ./waybill chaos --seed 42 --engine queue --seconds 90  repeats a run",
            "  ./waybill chaos --faults relay-kill,broker-freeze      only these faults",
            "  ./waybill chaos --faults clock-step,sequence-reset     needs faketime",
            "  ./waybill chaos faults                                 lists all faults"
        })
public final class Chaos implements Callable<Integer> {
    private static final DateTimeFormatter FOLDER = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

    @Option(
            names = "--minutes",
            paramLabel = "N",
            description = "Duration of the faults on each engine, in minutes (default 1)")
    private @Nullable Integer minutes;

    @Option(names = "--seconds", paramLabel = "N", description = "Duration of the faults on each engine, in seconds")
    private @Nullable Integer seconds;

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            defaultValue = "both",
            description = "Engine: journal, queue or both (default ${DEFAULT-VALUE})")
    private String engine = "both";

    @Option(names = "--seed", paramLabel = "S", description = "Seed of the schedule (default random)")
    private @Nullable Long seed;

    @Option(
            names = "--faults",
            paramLabel = "A,B,C",
            split = ",",
            defaultValue = "all",
            description = "Comma-separated names of faults (default ${DEFAULT-VALUE})")
    private List<String> faults = List.of("all");

    @Option(
            names = "--relays",
            paramLabel = "N",
            defaultValue = "2",
            description = "Number of relays, 1 to 3 (default ${DEFAULT-VALUE})")
    private int relays = 2;

    @Option(
            names = "--writers",
            paramLabel = "N",
            defaultValue = "3",
            description = "Number of writers, 1 to 8; the first uses plain SQL (default ${DEFAULT-VALUE})")
    private int writers = 3;

    @Option(
            names = "--consumers",
            paramLabel = "N",
            defaultValue = "2",
            description = "Number of consumers, 1 to 3 (default ${DEFAULT-VALUE})")
    private int consumers = 2;

    @Option(
            names = "--keys",
            paramLabel = "K",
            defaultValue = "30",
            description = "Number of event keys, 1 to 10000 (default ${DEFAULT-VALUE})")
    private int keys = 30;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "150",
            description = "Approximate transactions per second of all writers, 1 to 2000 (default ${DEFAULT-VALUE})")
    private int rate = 150;

    @Option(
            names = "--saga-rate",
            paramLabel = "N",
            defaultValue = "6",
            description = "Approximate sagas that start per second, 2 to 500 (default ${DEFAULT-VALUE})")
    private int sagaRate = 6;

    @Option(
            names = "--report",
            paramLabel = "FOLDER",
            description = "Folder for report.html, report.json, histories and logs (default .waybill/chaos/…)")
    private @Nullable Path report;

    @Option(
            names = "--json",
            description = "Print the report as JSON to standard output and everything else to standard error")
    private boolean json;

    @Option(names = "--bug", hidden = true, defaultValue = "NONE", description = "Bug of the relays")
    private TransportBug bug = TransportBug.NONE;

    @Option(names = "--saga-bug", hidden = true, defaultValue = "NONE", description = "Bug of the saga engines")
    private SagaBug sagaBug = SagaBug.NONE;

    private Chaos() {}

    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        CommandLine program = new CommandLine(new Chaos()).setCaseInsensitiveEnumValuesAllowed(true);
        program.setParameterExceptionHandler((wrong, all) -> usage(String.valueOf(wrong.getMessage())));
        program.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof ChaosOptions.UsageException) {
                return usage(String.valueOf(failure.getMessage()));
            }
            System.err.println("The run failed: " + failure);
            failure.printStackTrace();
            return 1;
        });
        return program.execute(arguments);
    }

    private static int usage(String message) {
        System.err.println(message);
        System.err.println("'./waybill chaos --help' lists all options.");
        return 2;
    }

    @Command(name = "faults", description = "Lists the faults.", mixinStandardHelpOptions = true)
    int listFaults() {
        for (Fault fault : Faults.all()) {
            System.out.printf(Locale.ROOT, "%-28s %s%n", fault.name(), fault.description());
            if (!fault.waives().isEmpty()) {
                System.out.printf(Locale.ROOT, "%-28s only if named; violates %s%n", "", fault.waives());
            }
        }
        return 0;
    }

    @Override
    public Integer call() throws Exception {
        ChaosOptions choice =
                new ChaosOptions(minutes, seconds, engine, faults, relays, writers, consumers, keys, rate, sagaRate);
        List<Engine> engines = choice.engines();
        long drawn = seed == null ? new SecureRandom().nextInt(Integer.MAX_VALUE) : seed;
        List<Fault> chosenFaults = choice.faults(drawn);
        Path folder = report == null ? freshFolder() : report;
        ProgressOutput live =
                new ProgressOutput(json ? System.err : System.out, Boolean.getBoolean("waybill.terminal"));
        if (Files.exists(folder)) {
            throw new ChaosOptions.UsageException(folder + " exists. Name a new folder, or delete it.");
        }
        live.say("Seed " + drawn);
        List<RunResult> outcomes = new ArrayList<>();
        for (Engine chosen : engines) {
            Path place = folder.toAbsolutePath().resolve(chosen.label());
            RunResult outcome = new Run(
                            chosen,
                            drawn,
                            choice.length(),
                            chosenFaults,
                            new ClusterSize(relays, writers, consumers),
                            keys,
                            rate,
                            sagaRate,
                            bug,
                            sagaBug,
                            place,
                            choice.command(drawn, chosen))
                    .execute(live);
            outcomes.add(outcome);
            live.say(TextReport.of(outcome));
            if (outcome.result().clean()) {
                Leftovers.remove(place);
            }
        }
        Files.writeString(folder.resolve("report.json"), JsonReport.of(outcomes));
        Files.writeString(folder.resolve("report.html"), HtmlReport.of(outcomes));
        live.say("Report: " + folder.resolve("report.html"));
        if (json) {
            System.out.println(JsonReport.of(outcomes));
        }
        return outcomes.stream().allMatch(outcome -> outcome.result().clean()) ? 0 : 1;
    }

    private static Path freshFolder() {
        String time = LocalDateTime.now(ZoneId.systemDefault())
                .truncatedTo(ChronoUnit.SECONDS)
                .format(FOLDER);
        return Path.of(System.getProperty("waybill.home", "."), ".waybill", "chaos", time);
    }
}
