package io.waybill.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.waybill.Event;
import io.waybill.inbox.FollowUps;
import io.waybill.inbox.Handler;
import io.waybill.inbox.Inbox;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.kafka.KafkaInbox;
import io.waybill.kafka.KafkaTransport;
import io.waybill.relay.Relay;
import io.waybill.retry.RetryPolicy;
import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One trace over PostgreSQL and Kafka as Zipkin shows it. Zipkin takes half a minute to start, so this class is not in the suite: its
 * name does not end with Test. It makes the picture in docs/tracing.md:
 *
 * <pre>
 * mvn dependency:copy -Dartifact=io.zipkin:zipkin-server:3.6.1:jar:exec -DoutputDirectory=/tmp
 * mvn -pl integrations/opentelemetry -am test -Dtest=TraceInZipkin -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dwaybill.zipkin=/tmp/zipkin-server-3.6.1-exec.jar -Dwaybill.picture=docs/images/trace.png
 * </pre>
 */
class TraceInZipkin {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Pattern ID = Pattern.compile("\"id\":\"(\\w+)\"");
    private static final Pattern PARENT = Pattern.compile("\"parentId\":\"(\\w+)\"");
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();

    @Test
    void aTraceOfSixServicesIsComplete() throws Exception {
        String jar = System.getProperty("waybill.zipkin");
        assertThat(jar)
                .as("Pass -Dwaybill.zipkin=FILE, the executable jar of Zipkin.")
                .isNotNull();
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        String zipkin = "http://127.0.0.1:" + port;
        ProcessBuilder command = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m", "-jar", jar)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("zipkin.log").toFile());
        command.environment().put("QUERY_PORT", Integer.toString(port));
        Process server = command.start();
        try {
            await().atMost(LIMIT)
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> get(zipkin + "/health").statusCode() == 200);
            String trace = play(zipkin);
            List<String> spans = new ArrayList<>();
            await().atMost(LIMIT).untilAsserted(() -> {
                String json = get(zipkin + "/api/v2/trace/" + trace).body();
                spans.clear();
                ID.matcher(json).results().forEach(found -> spans.add(found.group(1)));
                assertThat(spans).hasSize(9);
                assertThat(PARENT.matcher(json).results().map(found -> found.group(1)))
                        .hasSize(8)
                        .allMatch(spans::contains);
                assertThat(json)
                        .contains("gateway", "order", "relay", "inventory", "payment", "notification")
                        .contains("\"waybill.outcome\":\"retry\"", "The warehouse is busy.");
            });
            picture(zipkin + "/zipkin/traces/" + trace);
        } finally {
            server.destroy();
            server.waitFor();
        }
    }

    /** Places an order, and returns the id of its trace when all events are processed. */
    private String play(String zipkin) throws Exception {
        HikariConfig settings = new HikariConfig();
        settings.setJdbcUrl(SharedServers.freshDatabase());
        settings.setMaximumPoolSize(20);
        String broker = SharedServers.kafka().bootstrapServers();
        try (HikariDataSource pool = new HikariDataSource(settings)) {
            OutboxSchema.apply(pool, Engine.QUEUE);
            InboxSchema.apply(pool);
            AtomicBoolean busy = new AtomicBoolean(true);
            AtomicBoolean notified = new AtomicBoolean();
            try (KafkaTransport transport = KafkaTransport.to(broker)) {
                Relay relay = add(Relay.builder(JdbcQueue.on(pool).store(), transport)
                        .listener(tracing(zipkin, "relay").relay("kafka"))
                        .build());
                relay.start();
                consumer(zipkin, pool, broker, "inventory", "order.placed", (connection, event) -> {
                    if (busy.getAndSet(false)) {
                        throw new IllegalStateException("The warehouse is busy.");
                    }
                    followUp(connection, event, "stock.reserved");
                });
                consumer(
                        zipkin,
                        pool,
                        broker,
                        "payment",
                        "stock.reserved",
                        (connection, event) -> followUp(connection, event, "payment.charged"));
                consumer(
                        zipkin,
                        pool,
                        broker,
                        "notification",
                        "payment.charged",
                        (connection, event) -> notified.set(true));
                String trace = order(zipkin, pool);
                await().atMost(LIMIT).untilTrue(notified);
                return trace;
            } finally {
                for (AutoCloseable part : open) {
                    part.close();
                }
            }
        }
    }

    private <T extends AutoCloseable> T add(T part) {
        open.add(0, part);
        return part;
    }

    private OpenTelemetrySdk sdk(String zipkin, String service) {
        return add(OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .addSpanProcessor(SimpleSpanProcessor.create(new ZipkinExporter(zipkin, service)))
                        .build())
                .build());
    }

    private WaybillTracing tracing(String zipkin, String service) {
        return WaybillTracing.with(sdk(zipkin, service));
    }

    private String order(String zipkin, HikariDataSource pool) throws Exception {
        OpenTelemetrySdk order = sdk(zipkin, "order");
        Span call = span(sdk(zipkin, "gateway").getTracer("gateway"), "POST /api/orders");
        try (Scope calling = call.makeCurrent()) {
            assertThat(calling).isNotNull();
            Span request = span(order.getTracer("order"), "POST /orders");
            try (Scope handling = request.makeCurrent();
                    Connection connection = pool.getConnection()) {
                assertThat(handling).isNotNull();
                connection.setAutoCommit(false);
                WaybillTracing.with(order)
                        .outbox(JdbcOutbox.create())
                        .append(connection, Event.of("order.placed", "Order", "42", "{}"));
                connection.commit();
                connection.setAutoCommit(true);
            } finally {
                request.end();
            }
        } finally {
            call.end();
        }
        return call.getSpanContext().getTraceId();
    }

    private static Span span(Tracer tracer, String name) {
        return tracer.spanBuilder(name).setSpanKind(SpanKind.SERVER).startSpan();
    }

    private static void followUp(Connection connection, Event cause, String type) throws Exception {
        FollowUps.of(cause, JdbcOutbox.create()).append(connection, Event.of(type, "Order", "42", "{}"));
    }

    private void consumer(
            String zipkin,
            HikariDataSource pool,
            String broker,
            String group,
            String type,
            Handler<Connection> handler) {
        Inbox<Connection> inbox = add(Inbox.builder(JdbcInbox.on(pool).store(), group)
                .on(type, handler)
                .retry(new RetryPolicy(5, Duration.ofMillis(150), Duration.ofSeconds(1)))
                .tracer(tracing(zipkin, group).inbox("kafka", group))
                .build());
        add(KafkaInbox.builder(broker, inbox)
                        .setting("metadata.max.age.ms", 500)
                        .build())
                .start();
    }

    private static void picture(String page) throws Exception {
        String file = System.getProperty("waybill.picture");
        if (file == null) {
            return;
        }
        Path target = Path.of("../..").resolve(file).toAbsolutePath().normalize();
        Process browser = new ProcessBuilder(
                        "chromium",
                        "--headless",
                        "--no-sandbox",
                        "--hide-scrollbars",
                        "--window-size=1500,760",
                        "--virtual-time-budget=20000",
                        "--screenshot=" + target,
                        page)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(browser.waitFor()).isZero();
        assertThat(Files.size(target)).isPositive();
    }

    private static HttpResponse<String> get(String address) throws IOException, InterruptedException {
        return CLIENT.send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString());
    }
}
