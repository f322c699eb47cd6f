package io.waybill.examples.polyshop.payment;

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
import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutSchema;
import io.waybill.kafka.KafkaTransport;
import io.waybill.relay.Relay;
import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The payment service in Node.js, with Waybill's relay on its table. */
class PaymentTest {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final String REQUESTED = "payment.intent.requested.v1";
    private static final String CREATED = "payment.intent.created.v1";
    private static final String SUCCEEDED = "payment.payment.succeeded.v1";
    private static final String FAILED = "payment.payment.failed.v1";
    private static final String REFUNDED = "payment.refund.created.v1";
    private static final String CANCELLED = "order.order.cancelled.v1";
    private static final String TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

    @TempDir
    Path folder;

    private final String jdbcUrl = SharedServers.freshDatabase();
    private final int port = FreePort.find();
    private final String group = "payment-" + UUID.randomUUID();
    private final HikariDataSource source = new HikariDataSource();
    private ShopTopics topics;
    private Collector collector;
    private Issuer issuer;
    private ServiceProcess service;
    private KafkaTransport transport;
    private Relay relay;

    @BeforeAll
    static void requireNode() {
        Runtimes.requireNode();
    }

    @BeforeEach
    void start() {
        topics =
                new ShopTopics(List.of(REQUESTED, CREATED, SUCCEEDED, FAILED, REFUNDED, CANCELLED, REQUESTED + ".dlt"));
        collector = new Collector();
        issuer = new Issuer();
        service = startService();
        Layout layout = Layout.of("processed-flag", folder);
        source.setJdbcUrl(jdbcUrl + "&currentSchema=waybill");
        LayoutSchema.apply(source, layout);
        transport = KafkaTransport.to(SharedServers.kafka().bootstrapServers());
        relay = Relay.builder(JdbcQueue.on(source, layout).store(), transport)
                .envelope(Envelope.standard("payment-service"))
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
        environment.put("STRIPE_WEBHOOK_SECRET", "whsec_only_for_tests");
        environment.put("RETRY_BASE_MS", "20");
        environment.put("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint());
        return ServiceProcess.start(
                        Runtimes.PAYMENT, folder.resolve("payment.log"), environment, List.of("node", "src/main.js"))
                .awaitHealth(port);
    }

    private static Map<String, Object> intent(String orderId) {
        return Map.of("orderId", orderId, "userId", "ann", "amount", 59.8, "currency", "EUR");
    }

    private Published created(String orderId) {
        return topics.await(CREATED, event -> orderId.equals(event.key()));
    }

    private String pay(Published created) {
        String checkout = created.data().path("checkoutUrl").asString();
        Http.Answer answer = Http.send(port, "POST", checkout.replaceFirst("http://[^/]+", "") + "/pay", Map.of(), "");
        assertThat(answer.status()).isEqualTo(202);
        return answer.body().path("outcome").asString();
    }

    private List<Published> about(String orderId) {
        topics.readToEnd();
        List<Published> events = new ArrayList<>();
        for (String topic : List.of(CREATED, SUCCEEDED, FAILED, REFUNDED)) {
            events.addAll(topics.find(topic, event -> orderId.equals(event.key())));
        }
        return events;
    }

    @Test
    void anOrderIsPaidOnceInTheTraceOfTheOrder() {
        String orderId = UUID.randomUUID().toString();
        String traceparent = "00-" + TRACE_ID + "-00f067aa0ba902b7-01";
        String command = topics.send(
                REQUESTED,
                "order-service",
                orderId,
                Map.of("traceparent", traceparent, "saga-command-id", "c1"),
                intent(orderId));
        Published created = created(orderId);
        assertThat(created.headers()).containsEntry("saga-command-id", "c1");
        assertThat(created.json().at("/metadata/causationId").asString()).isEqualTo(command);
        assertThat(pay(created)).isEqualTo("applied");
        assertThat(pay(created)).isEqualTo("duplicate");

        Published paid = topics.await(SUCCEEDED, event -> orderId.equals(event.key()));
        List<Published> events = about(orderId);
        assertThat(events).extracting(Published::topic).containsExactly(CREATED, SUCCEEDED);
        assertThat(events)
                .extracting(event -> event.json().at("/metadata/traceId").asString())
                .containsOnly(TRACE_ID);
        Contracts.requireWithNode(events);
        await("the spans of the trace").atMost(PATIENCE).untilAsserted(() -> {
            assertThat(collector.spans())
                    .filteredOn(span -> span.name().equals("process " + REQUESTED))
                    .anySatisfy(span -> {
                        assertThat(span.traceId()).isEqualTo(TRACE_ID);
                        assertThat(span.parentSpanId()).isEqualTo("00f067aa0ba902b7");
                        assertThat(created.headers().get("traceparent")).contains(span.spanId());
                    });
            assertThat(collector.spans())
                    .filteredOn(span -> span.name().equals("settle payment"))
                    .anySatisfy(span -> assertThat(paid.headers().get("traceparent"))
                            .isEqualTo("00-" + TRACE_ID + "-" + span.spanId() + "-01"));
        });
    }

    @Test
    void aRefusedPaymentFails() {
        assertThat(Http.send(port, "POST", "/faults/payment-refuses", Map.of(), "")
                        .status())
                .isEqualTo(204);
        String orderId = UUID.randomUUID().toString();
        topics.send(REQUESTED, "order-service", orderId, Map.of(), intent(orderId));
        pay(created(orderId));
        topics.await(FAILED, event -> orderId.equals(event.key()));
        Contracts.requireWithNode(about(orderId));
    }

    @Test
    void thePaymentOfACancelledOrderIsRefunded() {
        String orderId = UUID.randomUUID().toString();
        topics.send(REQUESTED, "order-service", orderId, Map.of(), intent(orderId));
        pay(created(orderId));
        Map<String, Object> cancelled = Map.of(
                "orderId",
                orderId,
                "reason",
                "changed my mind",
                "cancelledAt",
                Instant.now().toString());
        topics.send(CANCELLED, "order-service", orderId, Map.of(), cancelled);
        topics.await(REFUNDED, event -> orderId.equals(event.key()));
        assertThat(about(orderId)).extracting(Published::topic).containsExactly(CREATED, SUCCEEDED, REFUNDED);
        Contracts.requireWithNode(about(orderId));
    }

    @Test
    void anUnreadableCommandBecomesADeadLetter() {
        String key = UUID.randomUUID().toString();
        topics.send(REQUESTED, key, Map.of(), "{\"not closed\": ");
        Published letter = topics.await(REQUESTED + ".dlt", record -> key.equals(record.key()));
        assertThat(letter.json().path("originalEvent").asString()).isEqualTo("{\"not closed\": ");
        assertThat(letter.json().path("consumerService").asString()).isEqualTo("payment-service");
        assertThat(letter.headers()).containsEntry("dead-letter-topic", REQUESTED);
        Contracts.requireWithNode(List.of(letter));
    }

    @Test
    void refundsNeedAnAdministratorAndAKey() {
        String orderId = UUID.randomUUID().toString();
        topics.send(REQUESTED, "order-service", orderId, Map.of(), intent(orderId));
        Published created = created(orderId);
        pay(created);
        String path = "/payments/" + created.data().path("paymentId").asString() + "/refunds";
        String ann = issuer.bearer("ann", "USER");
        String admin = issuer.bearer("root", "ADMIN");
        String body = "{\"amount\": 9.8, \"reason\": \"broken\"}";

        assertThat(Http.send(port, "POST", path, Map.of(), body).status()).isEqualTo(401);
        assertThat(refund(path, issuer.bearer("ann", "k1", Instant.EPOCH, "ADMIN"), "1", body)
                        .status())
                .isEqualTo(401);
        assertThat(refund(path, ann, "1", body).status()).isEqualTo(403);
        assertThat(Http.send(port, "POST", path, Map.of("Authorization", admin), body)
                        .status())
                .isEqualTo(400);
        Http.Answer first = refund(path, admin, "1", body);
        assertThat(first.status()).isEqualTo(201);
        assertThat(refund(path, admin, "1", body)).as("the same request").isEqualTo(first);
        assertThat(refund(path, admin, "1", "{}").body().path("code").asString())
                .isEqualTo("IDEMPOTENCY_KEY_REUSED");
        assertThat(refund(path, admin, "2", "{\"amount\": 50.01}").status()).isEqualTo(422);
        assertThat(refund(path, admin, "3", "{}").body().path("amount").asInt()).isEqualTo(50);
        assertThat(refund(path, admin, "4", "{}").status()).isEqualTo(409);

        String payment = path.replace("/refunds", "");
        assertThat(read(payment, issuer.bearer("bob", "USER")).status()).isEqualTo(404);
        assertThat(read(payment, ann).body().path("status").asString()).isEqualTo("REFUNDED");
    }

    private Http.Answer refund(String path, String authorization, String key, String body) {
        return Http.send(port, "POST", path, Map.of("Authorization", authorization, "Idempotency-Key", key), body);
    }

    private Http.Answer read(String path, String authorization) {
        return Http.send(port, "GET", path, Map.of("Authorization", authorization), "");
    }

    @Test
    void aServiceThatIsKilledPaysEachOrderOnce() {
        List<String> orders = new ArrayList<>();
        for (int kill = 0; kill < 3; kill++) {
            for (int i = 0; i < 10; i++) {
                String orderId = UUID.randomUUID().toString();
                String text =
                        ShopTopics.envelope(UUID.randomUUID().toString(), REQUESTED, "order-service", intent(orderId));
                topics.send(REQUESTED, orderId, Map.of(), text);
                topics.send(REQUESTED, orderId, Map.of(), text); // a duplicate
                orders.add(orderId);
            }
            created(orders.get(orders.size() - 10)); // the service is in the middle of the commands
            service.kill();
            service = startService();
        }
        for (String orderId : orders) {
            Published created = created(orderId);
            String path = created.data().path("checkoutUrl").asString().replaceFirst("http://[^/]+", "") + "/pay";
            await().atMost(PATIENCE).until(() -> pays(path));
            if (orders.indexOf(orderId) % 10 == 5) {
                service.kill();
                service = startService();
            }
        }
        orders.forEach(orderId -> topics.await(SUCCEEDED, event -> orderId.equals(event.key())));
        for (String orderId : orders) {
            assertThat(about(orderId)).extracting(Published::topic).containsExactly(CREATED, SUCCEEDED);
        }
    }

    private boolean pays(String path) {
        try {
            return Http.trySend(port, "POST", path, Map.of(), "").status() == 202;
        } catch (IOException down) {
            return false;
        }
    }

    @Test
    void theTestsOfTheServicePass() {
        ServiceProcess tests = ServiceProcess.start(
                Runtimes.PAYMENT,
                folder.resolve("npm-test.log"),
                Map.of(
                        "DATABASE_URL",
                        Runtimes.databaseUrl(SharedServers.postgres().jdbcUrl())),
                List.of("npm", "test"));
        assertThat(tests.exitCode()).as(tests.output()).isZero();
        assertThat(tests.output()).containsPattern("# pass [1-9]").contains("# fail 0");
    }
}
