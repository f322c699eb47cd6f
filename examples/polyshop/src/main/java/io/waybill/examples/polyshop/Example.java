package io.waybill.examples.polyshop;

import io.waybill.WaybillException;
import io.waybill.embedded.LocalServerException;
import io.waybill.examples.polyshop.launcher.Shop;
import io.waybill.examples.polyshop.launcher.ShopPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./waybill example polyshop}: a shop of eight services in three languages. */
@Command(
        name = "./waybill example polyshop",
        mixinStandardHelpOptions = true,
        header = "Run a shop of eight services in Java, Node and Python, with one relay for all outboxes.",
        description = {
            "",
            "Starts PostgreSQL, Kafka, the services auth, product, inventory, order, payment, notification, search and"
                    + " analytics, a gateway, the relay, and a page that shows orders and events. Runs until Ctrl-C.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill example polyshop",
            "  ./waybill example polyshop --payment-timeout 30s",
            "  ./waybill example polyshop --keep --data /tmp/shop",
        })
public final class Example implements Callable<Integer> {
    private static final int FAILED = 1;
    private static final long STOP_SECONDS = 90;

    private static final String WELCOME = """

            The shop is open; Ctrl-C closes it. Started in %8$d s.

              page       %1$s
              gateway    %2$s
              relay      %3$s   (status of all outboxes)
              Kafka      %4$s
              PostgreSQL %5$s
              logs       %6$s
              secrets    %7$s   (password of %9$s)

            Try, in another terminal:

              gateway=%2$s
              curl -s $gateway/search/products
              curl -s -X POST %1$s/api/orders -H 'Content-Type: application/json' -d '{"quantity": 2}'
              curl -s %1$s/api/state
              curl -s -X POST %1$s/api/orders/ID/pay         # plays the payment provider
              curl -s -X POST %1$s/api/orders/ID/fulfil      # plays the warehouse
              curl -s -X POST %1$s/api/faults/kill/inventory # DELETE starts it again
            """;

    @Option(
            names = "--no-node",
            description = "Start without the services in Node and Python. Orders then end without a payment.")
    private boolean noNode;

    @Option(names = "--keep", description = "Keep the data, and continue with them at the next start.")
    private boolean keep;

    @Option(
            names = "--payment-timeout",
            paramLabel = "TIME",
            defaultValue = "15m",
            description = "Time after which an unpaid order expires (default: ${DEFAULT-VALUE}).")
    private String paymentTimeout = "15m";

    @Option(
            names = "--otlp",
            paramLabel = "URL",
            description = "Export traces to this receiver, for example http://127.0.0.1:4318.")
    private @Nullable String otlp;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "Port of the page (default: any free one).")
    private int port;

    @Option(names = "--data", paramLabel = "FOLDER", description = "Data folder (default: .waybill/example-polyshop).")
    private @Nullable Path data;

    private Example() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Example())
                .setUsageHelpWidth(110)
                .setUsageHelpAutoWidth(Boolean.getBoolean("waybill.terminal"))
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    if (failure instanceof WaybillException || failure instanceof LocalServerException) {
                        System.err.println(failure.getMessage());
                        return FAILED;
                    }
                    throw failure;
                })
                .execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        long began = System.nanoTime();
        Path home = Path.of(System.getProperty("waybill.home", "."));
        Path folder = data == null ? home.resolve(".waybill/example-polyshop") : data;
        if (!keep && Files.exists(folder.resolve("kafka"))) {
            for (String part : new String[] {"postgres", "kafka", "logs", "mails", "secrets.txt"}) {
                delete(folder.resolve(part));
            }
        }
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stop.countDown();
            awaitQuietly(stopped);
        }));
        try (Shop shop = new Shop(home, folder, settings(), Example::say)) {
            shop.start(!noNode);
            try (ShopPage page = ShopPage.start(shop, port)) {
                System.out.println(WELCOME.formatted(
                        page.address(),
                        shop.url("gateway"),
                        shop.url("relay"),
                        shop.kafka().bootstrapServers(),
                        shop.postgres().jdbcUrl(),
                        folder.resolve("logs"),
                        shop.writeSecrets(),
                        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began),
                        Shop.ADMIN));
                stop.await();
            }
        } finally {
            stopped.countDown();
        }
        return 0;
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("PAYMENT_TIMEOUT", paymentTimeout);
        if (otlp != null) {
            settings.put("OTEL_EXPORTER_OTLP_ENDPOINT", otlp);
            settings.put("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
        }
        return settings;
    }

    private static void say(String line) {
        System.out.println(line);
    }

    private static void delete(Path path) throws IOException {
        if (Files.exists(path)) {
            try (Stream<Path> files = Files.walk(path)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static void awaitQuietly(CountDownLatch stopped) {
        try {
            if (!stopped.await(STOP_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("The example did not stop within " + STOP_SECONDS + " s.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
