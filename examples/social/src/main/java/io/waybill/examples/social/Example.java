package io.waybill.examples.social;

import io.waybill.WaybillException;
import io.waybill.embedded.LocalServerException;
import io.waybill.examples.social.page.Page;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./waybill example social}: a shop for communities on MongoDB. */
@Command(
        name = "./waybill example social",
        mixinStandardHelpOptions = true,
        header = "A shop for communities on MongoDB: six consumer groups keep read models beside the source.",
        description = {
            "",
            "Starts Kafka and DocumentDB (or uses the MongoDB that the environment variable MONGODB_URI names), a"
                    + " producer that changes users, orders and other entities, the relay, six projections, and a page"
                    + " that shows source and read models side by side. Runs until Ctrl-C.",
            "",
            "--rebuild and --backfill are commands for an example that runs in another terminal."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill example social",
            "  ./waybill example social --rate 20",
            "  ./waybill example social --rebuild user-cards    # in another terminal",
        })
public final class Example implements Callable<Integer> {
    private static final int FAILED = 1;
    private static final int MOST_CHANGES = 200;
    private static final long STOP_SECONDS = 60;

    private static final String WELCOME = """

            The shop is open; Ctrl-C stops it. Its data stay in %2$s.

              page       %1$s
              database   %3$s, database social
              Kafka      %4$s, topics sc.domain.*

            Try, in another terminal:

              ./waybill example social --rebuild user-cards       # empties user_cards and reads the topics again
              ./waybill example social --backfill order-summaries # fills order_summaries from the source
              curl -s %1$s/api/state
            """;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "2", description = "Changes per second (default 2).")
    private int rate;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "Port of the page (default: any free one).")
    private int port;

    @Option(
            names = "--data",
            paramLabel = "FOLDER",
            description = "Folder of the servers (default: .waybill/example-social).")
    private @Nullable Path data;

    @ArgGroup
    private @Nullable Remote remote;

    static final class Remote {
        @Option(
                names = "--rebuild",
                paramLabel = "NAME",
                description =
                        "Tell the running example to empty a projection and to read its topics from the beginning.")
        private @Nullable String rebuild;

        @Option(
                names = "--backfill",
                paramLabel = "NAME",
                description = "Tell the running example to empty a projection and to fill it from the source.")
        private @Nullable String backfill;
    }

    private Example() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Example())
                .setExecutionExceptionHandler((e, command, parsed) -> {
                    System.err.println(e.getMessage());
                    return FAILED;
                })
                .execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rate < 1 || rate > MOST_CHANGES) {
            throw new WaybillException("--rate must be between 1 and " + MOST_CHANGES + ", not " + rate + ".");
        }
        Path folder = data == null
                ? Path.of(System.getProperty("waybill.home", ".")).resolve(".waybill/example-social")
                : data;
        Path address = folder.resolve("page.address");
        if (remote != null) {
            String action = remote.rebuild == null ? "backfill" : "rebuild";
            return command(address, action, String.valueOf(remote.rebuild == null ? remote.backfill : remote.rebuild));
        }
        run(folder, address);
        return 0;
    }

    private void run(Path folder, Path address) throws IOException, InterruptedException {
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stop.countDown();
            awaitQuietly(stopped);
        }));
        System.out.println("Starting the servers …");
        try (Servers servers = new Servers(folder);
                SocialCommerce system = new SocialCommerce(servers.mongoUri(), "social", servers.brokers());
                Life life = new Life(system.source());
                Page page = Page.start(system, port)) {
            system.startRelay();
            system.startProjectors();
            life.start(rate);
            Files.writeString(address, page.address());
            System.out.println(WELCOME.formatted(page.address(), folder, servers.mongoUri(), servers.brokers()));
            stop.await();
        } catch (LocalServerException e) {
            throw new WaybillException(String.valueOf(e.getMessage()), e);
        } finally {
            Files.deleteIfExists(address);
            stopped.countDown();
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

    private static int command(Path address, String action, String name) throws IOException, InterruptedException {
        if (!Files.exists(address)) {
            throw new WaybillException("No example runs on " + address.getParent()
                    + ". Start it with ./waybill example social, and run this command in another terminal.");
        }
        URI target = URI.create(
                Files.readString(address) + "/api/" + action + "/" + URLEncoder.encode(name, StandardCharsets.UTF_8));
        HttpRequest request = HttpRequest.newBuilder(target)
                .header(Page.COMMAND_HEADER, "cli")
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> answer;
        try {
            answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        } catch (ConnectException e) {
            throw new WaybillException(
                    "The example on " + address.getParent()
                            + " does not answer. Start it with ./waybill example social.",
                    e);
        }
        System.out.println(answer.body());
        return answer.statusCode() == 200 ? 0 : FAILED;
    }
}
