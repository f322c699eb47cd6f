package io.waybill.examples.logistics;

import io.waybill.embedded.LocalKafka;
import io.waybill.embedded.LocalPostgres;
import io.waybill.embedded.LocalServerException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.logging.LoggingSystem;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code ./waybill example logistics}: the service with its own PostgreSQL and Kafka, whose data is kept between runs. */
@Command(
        name = "./waybill example logistics",
        mixinStandardHelpOptions = true,
        header = "An order service of many tenants: its own outbox table, published to Kafka.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill example logistics",
            "  ./waybill example logistics --port 9000",
            "  ./waybill example logistics -- --logistics.publishing=shadow --waybill.relay.enabled=false",
        })
public final class Example implements Callable<Integer> {
    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;

    private static final String WELCOME = """

            Logistics is up; Ctrl-C stops it. Its data stays in %2$s.

              users      admin, dispatcher, driver, finance, auditor (tenant …001), south (tenant …002); each password is the name
              metrics    http://127.0.0.1:%1$d/actuator/prometheus
              Kafka      %3$s, topic logistics.order

            Requests to copy:

              URL=http://127.0.0.1:%1$d
              TENANT=00000000-0000-4000-8000-000000000001
              ID=$(curl -s $URL/v2/orders -u dispatcher:dispatcher -H "X-Tenant-ID: $TENANT" -H "Idempotency-Key: order-1" \\
                -H 'Content-Type: application/json' -d '{"customer_name": "Ann", "delivery_address": {"street": "Quay",
                "number": "7", "city": "Hamburg", "postal_code": "20457", "country_code": "DE"},
                "freight": {"minor": 1000, "currency": "EUR"}, "parcels": [{"weight_grams": 1}, {"weight_grams": 2}]}' \\
                | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
              curl -s $URL/v2/orders/$ID -u auditor:auditor -H "X-Tenant-ID: $TENANT"
              curl -s $URL/v2/orders -u auditor:auditor -H "X-Tenant-ID: $TENANT"
              curl -s -X PATCH $URL/v2/orders/$ID -u dispatcher:dispatcher -H "X-Tenant-ID: $TENANT" \\
                -H 'Content-Type: application/json' -d '{"status": "CANCELLED"}'

            The messages in Kafka:

              ./waybill tail --broker kafka://%3$s --topic logistics.order --from-beginning
            """;

    @Option(names = "--port", defaultValue = "8091", description = "Where the service listens (default: 8091).")
    private int port;

    @Option(names = "--data", description = "Folder of database and broker (default: .waybill/example-logistics).")
    private @Nullable Path data;

    @Parameters(
            paramLabel = "SETTING",
            description = "Settings of the service, such as --waybill.relay.batch-size=10. They go after `--`.")
    private List<String> settings = new ArrayList<>();

    private Example() {}

    public static void main(String[] arguments) {
        // No log lines until Spring configures logging.
        LoggingSystem.get(Example.class.getClassLoader()).beforeInitialize();
        int code = new CommandLine(new Example())
                .setUsageHelpWidth(110)
                .setParameterExceptionHandler((e, ignored) -> {
                    System.err.println(e.getMessage());
                    if (e instanceof UnmatchedArgumentException unknown) {
                        System.err.println("Settings of the service go after `--`: ./waybill example logistics -- "
                                + String.join(" ", unknown.getUnmatched()));
                    }
                    System.err.println("See `./waybill example logistics --help`.");
                    return WRONG_USAGE;
                })
                .setExecutionExceptionHandler((e, command, parsed) -> {
                    Throwable cause = e;
                    while (cause.getCause() != null) {
                        cause = cause.getCause();
                    }
                    System.err.println("Logistics did not start: " + cause.getMessage());
                    return FAILED;
                })
                .execute(arguments);
        if (code != 0) {
            System.exit(code);
        }
    }

    @Override
    public Integer call() {
        Path folder = data == null
                ? Path.of(System.getProperty("waybill.home", ".")).resolve(".waybill/example-logistics")
                : data;
        try {
            LocalPostgres postgres = LocalPostgres.start(folder.resolve("postgres"));
            stopLast(postgres);
            LocalKafka kafka = LocalKafka.start(folder.resolve("kafka"));
            stopLast(kafka);
            // As system properties, because settings on the command line take precedence over them.
            System.setProperty("server.port", Integer.toString(port));
            System.setProperty("spring.datasource.url", postgres.jdbcUrl().replaceFirst("\\?.*", ""));
            System.setProperty("waybill.kafka.bootstrap-servers", kafka.bootstrapServers());
            System.setProperty("logging.level.root", "warn");
            SpringApplication.run(LogisticsApplication.class, settings.toArray(String[]::new));
            System.out.println(WELCOME.formatted(port, folder, kafka.bootstrapServers()));
            return 0;
        } catch (LocalServerException e) {
            System.err.println(e.getMessage());
            return FAILED;
        }
    }

    /** Stops a server after the application, whether that ends by Ctrl-C, by a failed start or by itself. */
    private static void stopLast(AutoCloseable server) {
        SpringApplication.getShutdownHandlers().add(() -> {
            try {
                server.close();
            } catch (Exception e) {
                System.err.println("Cannot stop a server: " + e.getMessage());
            }
        });
    }
}
