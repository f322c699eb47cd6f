package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.envelope.Envelope;
import io.waybill.inbox.PermanentException;
import io.waybill.testkit.servers.SharedServers;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A web application with Kafka: an event goes through the broker, and Actuator shows it. */
class KafkaTest {
    private static ConfigurableApplicationContext application;
    private static JdbcTemplate jdbc;
    private static String actuator;

    @BeforeAll
    static void start() {
        application = Apps.builder(
                        App.class,
                        SharedServers.freshDatabase(),
                        Apps.WITHOUT_JPA,
                        "server.port=0",
                        "spring.kafka.bootstrap-servers="
                                + SharedServers.kafka().bootstrapServers(),
                        "management.endpoints.web.exposure.include=*",
                        "management.endpoint.health.show-details=always",
                        "waybill.schema=apply",
                        "spring.jackson.property-naming-strategy=SNAKE_CASE",
                        "waybill.inbox.topics=shop.order.placed",
                        "waybill.kafka.consumer.auto.offset.reset=earliest")
                .web(WebApplicationType.SERVLET)
                .run();
        jdbc = application.getBean(JdbcTemplate.class);
        jdbc.execute("CREATE TABLE seen (id varchar(40))");
        actuator = "http://localhost:" + application.getEnvironment().getProperty("local.server.port") + "/actuator";
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void anEventGoesThroughKafkaAndItsHandlerRunsOnce() {
        Event event = append(Event.builder("order.placed", "Order", "42")
                .topic("shop.order.placed")
                .payload("{\"total\":10}")
                .header("user-id", "ann")
                .build());
        await().atMost(Duration.ofMinutes(4)).until(() -> seen().contains("42"));

        // The broker repeats itself, with another event behind it to know when it has been seen.
        String again =
                new String(application.getBean(Envelope.class).seal(event).value(), StandardCharsets.UTF_8);
        assertThat(again).contains("\"source\":\"shop\"", "\"userId\":\"ann\"", "\"data\":{\"total\":10}");
        send("42", again);
        append(Event.builder("order.placed", "Order", "42")
                .topic("shop.order.placed")
                .header("last", "yes")
                .build());
        await().atMost(Duration.ofMinutes(4)).until(() -> seen().size() == 2);
        assertThat(seen()).containsExactly("42", "42 last");
    }

    @Test
    void aPausedConsumerMakesTheInboxsHealthDown() throws Exception {
        assertThat(get("/health/waybillInbox").get("status").asString()).isEqualTo("UP");
        jdbc.update("INSERT INTO inbox_pauses (consumer_group, consumer, paused_since, reason, expires_at)"
                + " VALUES ('shop', 'other', now(), 'the warehouse does not answer', now() + interval '1 minute')");
        try {
            var down = request("GET", "/health/waybillInbox", "");
            assertThat(down.statusCode()).isEqualTo(503);
            assertThat(down.body()).contains("\"DOWN\"", "the warehouse does not answer");
        } finally {
            jdbc.update("DELETE FROM inbox_pauses");
        }
    }

    @Test
    void actuatorShowsTheOutbox() throws Exception {
        JsonNode health = get("/health/outbox");
        assertThat(health.get("status").asString()).isEqualTo("UP");
        assertThat(health.get("details").get("publishing").asBoolean()).isTrue();
        JsonNode status = get("/outbox");
        assertThat(status.get("publishing").asBoolean()).isTrue();
        assertThat(status.get("consuming").asBoolean()).isTrue();
        assertThat(status.get("outbox").get("lanes")).hasSize(8);
        assertThat(status.get("outbox").propertyNames())
                .as("the application's own settings of Jackson do not matter")
                .contains("oldestAge", "deadLetters");
        assertThat(status.get("inbox").get("group").asString()).isEqualTo("shop");
        assertThat(get("/metrics/outbox.up")
                        .get("measurements")
                        .get(0)
                        .get("value")
                        .asInt())
                .isEqualTo(1);
        assertThat(get("/metrics").get("names").toString())
                .contains(
                        "\"outbox.pending.count\"",
                        "\"outbox.process.latency\"",
                        "\"inbox.outcomes\"",
                        "\"inbox.retrying\"");
        assertThat(request("GET", "/outbox/nonsense", "").statusCode()).isEqualTo(400);
        assertThat(request("GET", "/outbox/00000000-0000-0000-0000-000000000000", "")
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void aDeadLetterIsShownAndDiscardedThroughActuator() throws Exception {
        Event hopeless = append(Event.builder("order.placed", "Order", "bad")
                .topic("shop.order.placed")
                .build());
        await().atMost(Duration.ofMinutes(4))
                .until(() -> !get("/outbox/inbox-dead-letters").isEmpty());
        assertThat(get("/outbox/inbox-dead-letters").get(0).get("id").asString())
                .isEqualTo(hopeless.id().toString());

        assertThat(get("/outbox/inbox-dead-letters").get(0).propertyNames()).contains("errorClass", "failedAt");
        JsonNode event = get("/outbox/" + hopeless.id());
        assertThat(event.propertyNames()).contains("aggregateType", "createdAt");
        assertThat(event.get("state").asString()).isEqualTo("PUBLISHED");
        assertThat(event.get("payload").asString()).isEqualTo("{}");
        assertThat(request(
                                "POST",
                                "/outbox/" + hopeless.id(),
                                "{\"action\":\"discard\",\"actor\":\"ann\",\"reason\":\"a test\"}")
                        .body())
                .isEqualTo("{\"outbox\":[],\"inbox\":[\"" + hopeless.id() + "\"]}");
        assertThat(get("/outbox/inbox-dead-letters")).isEmpty();
        assertThat(jdbc.queryForList("SELECT actor FROM inbox_audit", String.class))
                .as("the request is not authenticated")
                .containsExactly("ann (unauthenticated)");
        assertThat(request("POST", "/outbox/" + hopeless.id(), "{\"action\":\"burn\",\"actor\":\"a\",\"reason\":\"b\"}")
                        .statusCode())
                .isEqualTo(400);
    }

    private static Event append(Event event) {
        application
                .getBean(TransactionTemplate.class)
                .executeWithoutResult(
                        status -> application.getBean(TransactionalOutbox.class).append(event));
        return event;
    }

    private static void send(String key, String value) {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", SharedServers.kafka().bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            producer.send(new ProducerRecord<>("shop.order.placed", key, value)).get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> seen() {
        return jdbc.queryForList("SELECT id FROM seen WHERE id LIKE '42%' ORDER BY id", String.class);
    }

    private static JsonNode get(String path) throws Exception {
        return JsonMapper.builder().build().readTree(request("GET", path, "").body());
    }

    private static HttpResponse<String> request(String method, String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(actuator + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Content-Type", "application/json")
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }

    @EnableAutoConfiguration
    @Import(Handlers.class)
    static class App {}

    static class Handlers {
        private final JdbcTemplate jdbc;

        Handlers(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @InboxHandler("order.placed")
        void placed(Event event) {
            if (event.key().equals("bad")) {
                throw new PermanentException("bad");
            }
            jdbc.update(
                    "INSERT INTO seen VALUES (?)",
                    event.key() + (event.headers().containsKey("last") ? " last" : ""));
        }
    }
}
