package io.waybill.chaos;

import io.waybill.chaos.fault.Fault;
import io.waybill.chaos.fault.Faults;
import io.waybill.chaos.process.TransportBug;
import io.waybill.chaos.report.HtmlReport;
import io.waybill.chaos.report.JsonReport;
import io.waybill.chaos.report.Live;
import io.waybill.chaos.report.RunResult;
import io.waybill.chaos.report.TextReport;
import io.waybill.chaos.world.Shape;
import io.waybill.jdbc.Engine;
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

/** The program that breaks things. */
@Command(
        name = "waybill chaos",
        description = {
            "Runs writers, relays and consumers in processes of their own, breaks what they rest on, heals it, lets it drain,"
                    + " and checks that nothing was lost, invented, changed, reordered or applied twice.",
            "The seed is printed first; the same seed and options break the same things at the same times."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Exit codes: 0 every invariant holds; 1 one is broken, or the run could not be finished; 2 wrong usage.",
            "",
            "Examples:",
            "  ./waybill chaos                                        a minute of everything, on both engines",
            "  ./waybill chaos --minutes 30 --relays 3                the long form",
            "  ./waybill chaos --seed 42 --engine queue --seconds 90  a run again",
            "  ./waybill chaos --faults relay-kill,broker-freeze      only these",
            "  ./waybill chaos --faults clock-step,sequence-reset     the database's clock and sequence (needs faketime)",
            "  ./waybill chaos faults                                 what there is to choose from"
        })
public final class Chaos implements Callable<Integer> {
    private static final DateTimeFormatter FOLDER = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

    @Option(names = "--minutes", paramLabel = "N", description = "how long to break things, on each engine (1)")
    private @Nullable Integer minutes;

    @Option(names = "--seconds", paramLabel = "N", description = "the same in seconds")
    private @Nullable Integer seconds;

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            defaultValue = "both",
            description = "journal, queue or both (${DEFAULT-VALUE})")
    private String engine = "both";

    @Option(names = "--seed", paramLabel = "S", description = "draws the schedule; random unless given")
    private @Nullable Long seed;

    @Option(
            names = "--faults",
            paramLabel = "A,B,C",
            split = ",",
            defaultValue = "all",
            description = "which faults (${DEFAULT-VALUE})")
    private List<String> faults = List.of("all");

    @Option(names = "--relays", paramLabel = "N", defaultValue = "2", description = "1 to 3 (${DEFAULT-VALUE})")
    private int relays = 2;

    @Option(
            names = "--writers",
            paramLabel = "N",
            defaultValue = "3",
            description = "1 to 8; the first writes plain SQL (${DEFAULT-VALUE})")
    private int writers = 3;

    @Option(names = "--consumers", paramLabel = "N", defaultValue = "2", description = "1 to 3 (${DEFAULT-VALUE})")
    private int consumers = 2;

    @Option(
            names = "--keys",
            paramLabel = "K",
            defaultValue = "30",
            description = "1 to 10000, over which the events spread (${DEFAULT-VALUE})")
    private int keys = 30;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "150",
            description = "transactions a second that the writers try, 1 to 2000 (${DEFAULT-VALUE})")
    private int rate = 150;

    @Option(
            names = "--report",
            paramLabel = "FOLDER",
            description = "for report.html, report.json, histories and logs (.waybill/chaos/…)")
    private @Nullable Path report;

    @Option(names = "--json", description = "print the report as JSON on standard output; all else on standard error")
    private boolean json;

    @Option(names = "--bug", hidden = true, defaultValue = "NONE", description = "a mistake that the relays make")
    private TransportBug bug = TransportBug.NONE;

    private Chaos() {}

    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        CommandLine program = new CommandLine(new Chaos()).setCaseInsensitiveEnumValuesAllowed(true);
        program.setParameterExceptionHandler((wrong, all) -> usage(String.valueOf(wrong.getMessage())));
        program.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof Choice.Wrong) {
                return usage(String.valueOf(failure.getMessage()));
            }
            System.err.println("The run could not be finished: " + failure);
            failure.printStackTrace();
            return 1;
        });
        return program.execute(arguments);
    }

    private static int usage(String message) {
        System.err.println(message);
        System.err.println("'./waybill chaos --help' shows what there is.");
        return 2;
    }

    @Command(name = "faults", description = "Lists the faults.", mixinStandardHelpOptions = true)
    int listFaults() {
        for (Fault fault : Faults.all()) {
            System.out.printf(Locale.ROOT, "%-22s %s%n", fault.name(), fault.description());
            if (!fault.waives().isEmpty()) {
                System.out.printf(Locale.ROOT, "%-22s only when named; %s cannot hold with it%n", "", fault.waives());
            }
        }
        return 0;
    }

    @Override
    public Integer call() throws Exception {
        Choice choice = new Choice(minutes, seconds, engine, faults, relays, writers, consumers, keys, rate);
        List<Engine> engines = choice.engines();
        long drawn = seed == null ? new SecureRandom().nextInt(Integer.MAX_VALUE) : seed;
        List<Fault> chosenFaults = choice.faults(drawn);
        Path folder = report == null ? freshFolder() : report;
        Live live = new Live(json ? System.err : System.out, Boolean.getBoolean("waybill.terminal"));
        if (Files.exists(folder)) {
            throw new Choice.Wrong(folder + " exists. Name a folder that does not, or remove it.");
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
                            new Shape(relays, writers, consumers),
                            keys,
                            rate,
                            bug,
                            place,
                            choice.command(drawn, chosen))
                    .carryOut(live);
            outcomes.add(outcome);
            live.say(TextReport.of(outcome));
            if (outcome.judgement().clean()) {
                Leftovers.remove(place);
            }
        }
        Files.writeString(folder.resolve("report.json"), JsonReport.of(outcomes));
        Files.writeString(folder.resolve("report.html"), HtmlReport.of(outcomes));
        live.say("Report: " + folder.resolve("report.html"));
        if (json) {
            System.out.println(JsonReport.of(outcomes));
        }
        return outcomes.stream().allMatch(outcome -> outcome.judgement().clean()) ? 0 : 1;
    }

    private static Path freshFolder() {
        String time = LocalDateTime.now(ZoneId.systemDefault())
                .truncatedTo(ChronoUnit.SECONDS)
                .format(FOLDER);
        return Path.of(System.getProperty("waybill.home", "."), ".waybill", "chaos", time);
    }
}
