package io.waybill.examples.polyshop.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.embedded.FreePort;
import io.waybill.envelope.Envelope;
import io.waybill.examples.polyshop.foreign.Collector;
import io.waybill.examples.polyshop.foreign.Contracts;
import io.waybill.examples.polyshop.foreign.Http;
import io.waybill.examples.polyshop.foreign.Issuer;
import io.waybill.examples.polyshop.foreign.Runtimes;
import io.waybill.examples.polyshop.foreign.ServiceProcess;
import io.waybill.examples.polyshop.foreign.ShopTopics;
import io.waybill.examples.polyshop.foreign.ShopTopics.Published;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.PostgresJournal;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.kafka.KafkaTransport;
import io.waybill.relay.Relay;
import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The notification service in Python, which uses Waybill's tables with plain SQL. */
class NotificationTest {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final String REGISTERED = "auth.user.created.v1";
    private static final String PLACED = "order.order.placed.v1";
    private static final String PAID = "payment.payment.succeeded.v1";
    private static final String SENT = "notification.email.sent.v1";
    private static final String TIME = "2026-01-01T00:00:00Z";
    private static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

    @TempDir
    Path folder;

    private final String jdbcUrl = SharedServers.freshDatabase();
    private final int port = FreePort.find();
    private final String group = "notification-" + UUID.randomUUID();
    private final HikariDataSource source = new HikariDataSource();
    private ShopTopics topics;
    private Collector collector;
    private Issuer issuer;
    private ServiceProcess service;
    private KafkaTransport transport;
    private Relay relay;

    @BeforeAll
    static void requirePython() {
        Runtimes.requirePython();
    }

    @BeforeEach
    void start() {
        source.setJdbcUrl(jdbcUrl);
        OutboxSchema.apply(source);
        InboxSchema.apply(source);
        topics = new ShopTopics(List.of(REGISTERED, PLACED, PAID, SENT, PLACED + ".dlt"));
        collector = new Collector();
        issuer = new Issuer();
        service = startService();
        transport = KafkaTransport.to(SharedServers.kafka().bootstrapServers());
        relay = Relay.builder(PostgresJournal.on(source).store(), transport)
                .envelope(Envelope.standard("notification-service"))
                .build();
        relay.start();
    }

    @AfterEach
    void stop() {
        relay.close();
        transport.close();
        service.close();
        source.close();
        issuer.close();
        collector.close();
        topics.close();
    }

    private ServiceProcess startService() {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("PORT", Integer.toString(port));
        environment.put("DATABASE_URL", Runtimes.databaseUrl(jdbcUrl));
        environment.put("KAFKA", SharedServers.kafka().bootstrapServers());
        environment.put("KAFKA_GROUP", group);
        environment.put("JWKS_URL", issuer.jwksUrl());
        environment.put("MAIL_FOLDER", mails().toString());
        environment.put("RETRY_BASE_MS", "500");
        environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint());
        environment.put("PYTHONDONTWRITEBYTECODE", "1");
        return ServiceProcess.start(
                        Runtimes.NOTIFICATION,
                        folder.resolve("notification.log"),
                        environment,
                        List.of(Runtimes.PYTHON, "-m", "notification"))
                .awaitHealth(port);
    }

    private Path mails() {
        return folder.resolve("mails");
    }

    private List<String> mailFiles() {
        try (Stream<Path> files = Files.list(mails())) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".eml"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String register(Map<String, String> headers) {
        String user = UUID.randomUUID().toString();
        Map<String, String> data =
                Map.of("userId", user, "email", user + "@example.org", "fullName", "Ann", "createdAt", TIME);
        topics.send(REGISTERED, "auth-service", user, headers, data);
        return user;
    }

    private List<Published> sentTo(String user) {
        topics.readToEnd();
        return topics.find(
                SENT, event -> user.equals(event.data().path("userId").asString("")));
    }

    @Test
    void anOrderIsAnsweredByMailsInTheTraceOfTheOrder() {
        Map<String, String> headers = Map.of("traceparent", "00-" + TRACE_ID + "-b7ad6b7169203331-01");
        String orderId = UUID.randomUUID().toString();
        String paymentId = UUID.randomUUID().toString();
        String user = register(headers);
        topics.send(
                PLACED,
                "order-service",
                orderId,
                headers,
                Map.of(
                        "orderId",
                        orderId,
                        "userId",
                        user,
                        "items",
                        List.of(Map.of("productId", "p1", "quantity", 2)),
                        "totalAmount",
                        59.8,
                        "currency",
                        "EUR",
                        "createdAt",
                        TIME));
        topics.send(
                PAID,
                "payment-service",
                orderId,
                headers,
                Map.of(
                        "paymentId",
                        paymentId,
                        "orderId",
                        orderId,
                        "amount",
                        59.8,
                        "currency",
                        "EUR",
                        "provider",
                        "STRIPE",
                        "createdAt",
                        TIME));
        await().atMost(PATIENCE).until(() -> {
            service.requireAlive();
            return sentTo(user).size() == 3;
        });

        List<Published> sent = sentTo(user);
        assertThat(sent)
                .extracting(event -> event.data().path("template").asString())
                .containsExactlyInAnyOrder("email.user.welcome", "email.order.confirmation", "email.payment.receipt");
        assertThat(sent)
                .extracting(event -> event.json().at("/metadata/traceId").asString())
                .containsOnly(TRACE_ID);
        assertThat(sent)
                .allSatisfy(event -> assertThat(event.key())
                        .isEqualTo(event.data().path("notificationId").asString()));
        assertThat(mailFiles())
                .containsAll(sent.stream().map(event -> event.key() + ".eml").toList());
        Contracts.requireWithPython(sent);
        await("the spans of the trace")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(collector.spans())
                        .filteredOn(span -> span.name().equals("process " + PAID))
                        .anySatisfy(span -> {
                            assertThat(span.traceId()).isEqualTo(TRACE_ID);
                            assertThat(span.parentSpanId()).isEqualTo("b7ad6b7169203331");
                        }));
    }

    @Test
    void anUnreadableRecordBecomesADeadLetter() {
        String key = UUID.randomUUID().toString();
        topics.send(PLACED, key, Map.of(), "[]");
        Published letter = topics.await(PLACED + ".dlt", record -> key.equals(record.key()));
        assertThat(letter.json().path("consumerService").asString()).isEqualTo("notification-service");
        assertThat(letter.json().path("originalEvent").isArray()).isTrue();
        Contracts.requireWithPython(List.of(letter));
    }

    @Test
    void templatesAndMailsNeedAnAdministrator() {
        String ann = issuer.bearer("ann", "USER");
        String admin = issuer.bearer("root", "ADMIN");
        String name = "email.test.t" + UUID.randomUUID().toString().substring(0, 8);
        String template = "{\"name\": \"" + name
                + "\", \"type\": \"EMAIL\", \"subject\": \"Hi {{who}}\", \"body\": \"{{who}}!\"}";
        assertThat(Http.send(port, "GET", "/templates", Map.of(), "").status()).isEqualTo(401);
        assertThat(send("POST", "/templates", ann, "", template).status()).isEqualTo(403);
        Http.Answer created = send("POST", "/templates", admin, "", template);
        assertThat(created.status()).isEqualTo(201);
        assertThat(send("POST", "/templates", admin, "", template).status()).isEqualTo(409);
        assertThat(send("POST", "/templates", admin, "", "{").status()).isEqualTo(400);
        String preview = "/templates/" + created.body().path("id").asString() + "/preview";
        assertThat(send("POST", preview, admin, "", "{\"variables\": {\"who\": \"Bo {{x}}\"}}")
                        .body()
                        .path("subject")
                        .asString())
                .isEqualTo("Hi Bo {{x}}");
        assertThat(send("POST", preview, admin, "", "{}").status()).isEqualTo(422);

        String mail =
                "{\"to\": \"bo@example.org\", \"templateName\": \"" + name + "\", \"variables\": {\"who\": \"Bo\"}}";
        Http.Answer first = send("POST", "/notifications/email", admin, "k1", mail);
        assertThat(first.status()).isEqualTo(202);
        assertThat(send("POST", "/notifications/email", admin, "k1", mail)).isEqualTo(first);
        assertThat(send("POST", "/notifications/email", admin, "k1", mail.replace("Bo", "Al"))
                        .status())
                .isEqualTo(409);
        assertThat(mailFiles())
                .containsOnlyOnce(first.body().path("notificationId").asString() + ".eml");
    }

    private Http.Answer send(String method, String path, String authorization, String key, String body) {
        Map<String, String> headers = key.isEmpty()
                ? Map.of("Authorization", authorization)
                : Map.of("Authorization", authorization, "Idempotency-Key", key);
        return Http.send(port, method, path, headers, body);
    }

    @Test
    void aServiceThatIsKilledSendsEachMailOnce() throws SQLException {
        List<String> users = new ArrayList<>();
        for (int kill = 0; kill < 3; kill++) {
            for (int i = 0; i < 20; i++) {
                String user = UUID.randomUUID().toString();
                String text = ShopTopics.envelope(
                        UUID.randomUUID().toString(),
                        REGISTERED,
                        "auth-service",
                        Map.of("userId", user, "email", user + "@example.org", "createdAt", TIME));
                topics.send(REGISTERED, user, Map.of(), text);
                topics.send(REGISTERED, user, Map.of(), text); // a duplicate
                users.add(user);
            }
            String first = users.get(users.size() - 20);
            await("the service is in the middle of the events")
                    .atMost(PATIENCE)
                    .until(() -> sentTo(first).size() == 1);
            service.kill();
            service = startService();
        }
        await().atMost(PATIENCE)
                .until(() -> users.stream().noneMatch(user -> sentTo(user).isEmpty()));
        for (String user : users) {
            assertThat(sentTo(user)).hasSize(1);
        }
        assertThat(count("email_logs WHERE status = 'SENT'"))
                .isEqualTo(mailFiles().size());
        assertThat(count("outbox_events WHERE event_type = '" + SENT + "'"))
                .isEqualTo(mailFiles().size());
    }

    private long count(String rows) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                var result = statement.executeQuery("SELECT count(*) FROM " + rows)) {
            result.next();
            return result.getLong(1);
        }
    }

    @Test
    void theTestsOfTheServicePass() throws IOException {
        Path outbox = Files.writeString(folder.resolve("outbox.sql"), OutboxSchema.sql());
        Path inbox = Files.writeString(folder.resolve("inbox.sql"), InboxSchema.sql());
        ServiceProcess tests = ServiceProcess.start(
                Runtimes.NOTIFICATION,
                folder.resolve("unittest.log"),
                Map.of(
                        "DATABASE_URL",
                        Runtimes.databaseUrl(SharedServers.postgres().jdbcUrl()),
                        "WAYBILL_SCHEMA",
                        outbox + ":" + inbox,
                        "PYTHONDONTWRITEBYTECODE",
                        "1"),
                List.of(Runtimes.PYTHON, "-m", "unittest"));
        assertThat(tests.exitCode()).as(tests.output()).isZero();
        assertThat(tests.output()).containsPattern("Ran [1-9][0-9]* tests");
    }
}
