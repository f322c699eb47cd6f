package io.waybill.examples.saga;

import io.waybill.embedded.LocalKafka;
import io.waybill.embedded.LocalPostgres;
import io.waybill.embedded.LocalServerException;
import io.waybill.examples.saga.Faults.Fault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./waybill example saga}: orders over three participants, one for each fault. */
@Command(
        name = "./waybill example saga",
        mixinStandardHelpOptions = true,
        header = "Run the saga of an order over three services, and show its outcome for each kind of failure.",
        description = {
            "",
            "Starts PostgreSQL and Kafka, a shop that runs the sagas, and the services stock, payment and delivery."
                    + " Places one order for each fault, prints the history of each saga, and draws the outcomes.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill example saga",
            "  ./waybill example saga --fault PAYMENT_DECLINED --fault STOCK_SILENT",
            "  ./waybill example saga --keep",
            "",
            "With --keep, the example prints the commands with which you decide, in another terminal.",
        })
public final class Example implements Callable<Integer> {
    private static final int FAILED = 1;
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final OpenResources resources = new OpenResources();

    @Option(
            names = "--fault",
            paramLabel = "FAULT",
            description = "Place only orders with this fault (repeatable; default: one order for each). One of"
                    + " ${COMPLETION-CANDIDATES}.")
    private Set<Fault> faults = new LinkedHashSet<>();

    @Option(
            names = "--keep",
            description =
                    "Leave the decisions about steps that wait for a person to you, and keep running until Ctrl-C.")
    private boolean keep;

    @Option(
            names = "--data",
            paramLabel = "FOLDER",
            description = "Data folder of PostgreSQL and Kafka (default: .waybill/example-saga).")
    private @Nullable Path data;

    private Example() {}

    public static void main(String[] arguments) {
        Example example = new Example();
        System.exit(new CommandLine(example)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpWidth(110)
                .setUsageHelpAutoWidth(Boolean.getBoolean("waybill.terminal"))
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    if (example.resources.stopping()) {
                        return FAILED; // a stop closes the databases that the example uses
                    }
                    throw failure;
                })
                .execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Path folder =
                data == null ? Path.of(System.getProperty("waybill.home", ".")).resolve(".waybill/example-saga") : data;
        System.out.println("Starting PostgreSQL and Kafka …");
        try (resources) {
            LocalPostgres postgres = resources.open(() -> LocalPostgres.start(folder.resolve("postgres")));
            LocalKafka kafka = resources.open(() -> LocalKafka.start(folder.resolve("kafka")));
            run(folder, postgres.jdbcUrl(), kafka.bootstrapServers());
            return 0;
        } catch (LocalServerException e) {
            if (!resources.stopping()) {
                System.err.println(e.getMessage());
            }
            return FAILED;
        }
    }

    private void run(Path folder, String jdbcUrl, String broker) throws Exception {
        String database = jdbcUrl + (jdbcUrl.contains("?") ? "&" : "?") + "currentSchema=shop";
        System.out.println("Started. The database of the shop is " + database);
        Faults chosen = new Faults();
        resources
                .open(() -> new Participants(jdbcUrl, broker, chosen, PATIENCE))
                .start();
        Shop shop = resources.open(() -> new Shop(jdbcUrl, broker, chosen, PATIENCE));
        shop.start();
        Outcomes outcomes = new Outcomes(shop, System.out, !keep);
        String prefix = Long.toString(System.currentTimeMillis() / 1_000);
        System.out.println("Warming up with an order that is not shown, so that the topics exist …");
        outcomes.warmUp(prefix);
        announce();
        Map<Fault, String> orders =
                outcomes.run(faults.isEmpty() ? List.of(Fault.values()) : List.copyOf(faults), prefix);
        Path page = folder.resolve("outcomes.md");
        outcomes.draw(orders, page);
        System.out.println("\nThe pictures are in " + page + ". Most editors and code hosts draw them.");
        if (keep) {
            System.out.println("\nIn another terminal:\n\n  export WAYBILL_DATABASE_URL='" + database + "'");
            outcomes.commands(orders).forEach(command -> System.out.println("  " + command));
            System.out.println("\nStop with Ctrl-C.");
            Thread.currentThread().join();
        }
    }

    private void announce() {
        if (faults.isEmpty()) {
            System.out.println(
                    "Placing one order for each fault. Some sagas wait for time-outs; this takes about half a"
                            + " minute.");
        } else {
            System.out.println("Placing " + faults.size() + (faults.size() == 1 ? " order." : " orders."));
        }
    }
}
