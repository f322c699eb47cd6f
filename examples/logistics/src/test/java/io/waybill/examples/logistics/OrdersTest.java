package io.waybill.examples.logistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.examples.logistics.Api.Answer;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.JsonNode;

class OrdersTest {
    private final Service service = Service.shared();
    private final Api api = service.api();

    @Test
    void anOrderAndItsEventAreOneTransaction() {
        Answer placed = api.place(UUID.randomUUID().toString(), Api.ORDER);
        assertThat(placed.status()).isEqualTo(201);
        Map<String, Object> event =
                service.jdbc().queryForMap("SELECT * FROM outbox_events WHERE aggregate_id = ?", placed.id());
        assertThat(event)
                .containsEntry("aggregate_type", "Order")
                .containsEntry("event_type", "OrderCreated")
                .containsEntry("tenant_id", Service.NORTH);
        assertThat(placed.body().path("parcels").values())
                .extracting(parcel -> parcel.path("freight_minor").asLong())
                .containsExactly(334L, 333L, 333L);

        service.jdbc()
                .execute(
                        "ALTER TABLE outbox_events ADD CONSTRAINT refused CHECK (event_type <> 'OrderCancelled') NOT VALID");
        try {
            assertThat(api.cancel(placed.id()).status()).isEqualTo(500);
        } finally {
            service.jdbc().execute("ALTER TABLE outbox_events DROP CONSTRAINT refused");
        }
        assertThat(api.get("/v2/orders/" + placed.id(), "driver", Service.NORTH)
                        .body()
                        .path("status")
                        .asString())
                .as("without its event, the change is rolled back")
                .isEqualTo("OPEN");
    }

    @Test
    void cancellingTwiceEmitsOneEvent() {
        UUID order = api.place(Service.NORTH);
        assertThat(api.cancel(order).status()).isEqualTo(200);
        assertThat(api.cancel(order).status()).isEqualTo(200);
        assertThat(service.jdbc()
                        .queryForList(
                                "SELECT event_type FROM outbox_events WHERE aggregate_id = ? ORDER BY waybill_seq",
                                String.class,
                                order))
                .containsExactly("OrderCreated", "OrderCancelled");
        assertThat(api.cancel(UUID.randomUUID()).status()).isEqualTo(404);
    }

    @Test
    void aRepeatedRequestGetsTheSameAnswer() {
        String key = UUID.randomUUID().toString();
        Answer first = api.place(key, Api.ORDER);
        Answer second = api.place(key, Api.ORDER.replace("\n", ""));
        assertThat(second.status()).isEqualTo(201);
        assertThat(second.text()).isEqualTo(first.text());
        assertThat(service.jdbc()
                        .queryForObject(
                                "SELECT count(*) FROM outbox_events WHERE aggregate_id = ?", Long.class, first.id()))
                .isEqualTo(1);
        assertThat(api.place(key, Api.ORDER.replace("Ann", "Bob")).status()).isEqualTo(409);
        Answer other = api.send(api.request("POST", "/v2/orders", "south", Service.SOUTH, Api.ORDER)
                .header("Idempotency-Key", key));
        assertThat(other.id()).as("keys belong to a tenant").isNotEqualTo(first.id());
    }

    @Test
    void aRequestWithoutAKeyIsRefused() {
        assertThat(api.send(api.request("POST", "/v2/orders", "dispatcher", Service.NORTH, Api.ORDER))
                        .status())
                .isEqualTo(400);
        assertThat(api.place("x".repeat(201), Api.ORDER).status()).isEqualTo(400);
    }

    /** The first request waits for a lock, so that it is in progress when the second one comes. */
    @Test
    void aRequestInProgressIsRefusedUntilItsTakeOver() throws Exception {
        String key = UUID.randomUUID().toString();
        CompletableFuture<Answer> first;
        try (Connection blocker = service.connect();
                Statement lock = blocker.createStatement()) {
            blocker.setAutoCommit(false);
            lock.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE");
            first = CompletableFuture.supplyAsync(() -> api.place(key, Api.ORDER));
            String acquired = "SELECT count(*) FROM idempotency_keys WHERE key = ?";
            Awaitility.await("the key is acquired").until(() -> service.number(acquired, key) == 1);
            Answer second = api.place(key, Api.ORDER);
            assertThat(second.status()).isEqualTo(409);
            assertThat(second.header("Retry-After")).isEqualTo("1");
            assertThat(service.jdbc()
                            .queryForObject(
                                    "SELECT locked_until - now() BETWEEN '20 s' AND '30 s' FROM idempotency_keys WHERE key = ?",
                                    Boolean.class,
                                    key))
                    .isTrue();
            blocker.rollback();
        }
        assertThat(first.join().status()).isEqualTo(201);
        assertThat(api.place(key, Api.ORDER).text()).isEqualTo(first.join().text());
    }

    /** A process ended while it worked on the request; thirty seconds later another one may take the key over. */
    @Test
    void anAbandonedRequestIsTakenOver() {
        String key = UUID.randomUUID().toString();
        Answer first = api.place(key, Api.ORDER);
        String abandon = "UPDATE idempotency_keys SET status = NULL, body = NULL, locked_until = now() + interval '"
                + "%d s' WHERE key = ?";
        service.jdbc().update(abandon.formatted(25), key);
        assertThat(api.place(key, Api.ORDER).status()).isEqualTo(409);
        service.jdbc().update(abandon.formatted(-1), key);
        Answer taken = api.place(key, Api.ORDER);
        assertThat(taken.status()).isEqualTo(201);
        assertThat(taken.id()).isNotEqualTo(first.id());
    }

    @Test
    void versionOneWarnsThatItIsDeprecated() {
        Answer placed = api.send(api.request("POST", "/v1/orders", "dispatcher", Service.NORTH, Api.ORDER));
        assertThat(placed.status()).isEqualTo(201);
        assertThat(placed.header("Warning")).startsWith("299 - ");
        Answer list = api.get("/v1/orders", "auditor", Service.NORTH);
        assertThat(list.header("Warning")).contains("/v2/orders");
        assertThat(list.text()).contains(placed.id().toString()).doesNotContain("parcels");
        assertThat(api.get("/v2/orders", "auditor", Service.NORTH).header("Warning"))
                .isEmpty();
    }

    @Test
    void aTenantSeesOnlyItsOwnOrders() {
        UUID north = api.place(Service.NORTH);
        UUID south = api.place(Service.SOUTH);
        assertThat(api.get("/v2/orders/" + north, "auditor", Service.NORTH).status())
                .isEqualTo(200);
        assertThat(api.get("/v2/orders/" + north, "auditor", Service.SOUTH).status())
                .isEqualTo(404);
        assertThat(api.get("/v2/orders", "auditor", Service.SOUTH).text())
                .contains(south.toString())
                .doesNotContain(north.toString());
        assertThat(api.get("/v2/orders", "south", Service.NORTH).status()).isEqualTo(403);
    }

    /** The database enforces it, whatever the service asks for. */
    @Test
    void theServicesUserSeesNoRowWithoutATenantAndWritesNoneOfAnother() {
        UUID order = api.place(Service.NORTH);
        JdbcTemplate app = service.jdbc("logistics_app");
        for (String table : new String[] {"orders", "parcels", "outbox_events"}) {
            assertThat(app.queryForObject("SELECT count(*) FROM " + table, Long.class))
                    .as(table)
                    .isZero();
        }
        assertThatThrownBy(() -> app.update(
                        "WITH t AS (SELECT set_config('app.current_tenant', ?, true)) INSERT INTO outbox_events (id, tenant_id,"
                                + " aggregate_type, aggregate_id, event_type, payload)"
                                + " SELECT gen_random_uuid(), ?, 'Order', ?, 'OrderCreated', '{}' FROM t",
                        Service.SOUTH.toString(),
                        Service.NORTH,
                        order))
                .rootCause()
                .hasMessageContaining("row-level security");
    }

    @ParameterizedTest
    @CsvSource({
        "'', GET, 401",
        "driver, GET, 200",
        "finance, GET, 200",
        "auditor, GET, 200",
        "driver, POST, 403",
        "finance, POST, 403",
        "auditor, POST, 403",
        "dispatcher, DELETE, 403"
    })
    void eachRoleMayDoItsOwn(String user, String method, int status) {
        String json = method.equals("POST") ? Api.ORDER : "";
        assertThat(api.send(api.request(method, "/v2/orders", user, Service.NORTH, json)
                                .header("Idempotency-Key", UUID.randomUUID().toString()))
                        .status())
                .isEqualTo(status);
        assertThat(api.get("/actuator/outbox", user, Service.NORTH).status()).isIn(401, 403);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"Ann\" | \"\" | customer_name",
                "\"Ann\" | \"a\\u0000b\" | customer_name",
                "\"Ann\" | \"\\ud800\" | customer_name",
                "\"DE\" | \"Germany\" | country_code",
                "\"EUR\" | \"euro\" | currency",
                "1000 | -1 | freight.minor",
                "{\"weight_grams\": 1} | {\"weight_grams\": 0} | parcels[0].weight_grams",
                "\"Ann\" | {} | customer_name",
                "{\"weight_grams\": 1} | {\"weight_grams\": \"x\"} | parcels[0].weight_grams",
                "\"freight\" | \"cargo\" | freight must be given",
            })
    void badInputIsRefusedByName(String right, String wrong, String field) {
        Answer refused = api.place(
                UUID.randomUUID().toString(),
                Api.ORDER.replaceFirst(Pattern.quote(right), Matcher.quoteReplacement(wrong)));
        assertThat(refused.status()).isEqualTo(400);
        JsonNode problem = refused.body();
        assertThat(problem.path("detail").asString()).contains(field);
    }

    @Test
    void allErrorsAreProblemDetails() {
        assertProblem(api.get("/v2/orders?limit=1", "", Service.NORTH), 401, "password");
        assertProblem(api.get("/actuator/outbox", "auditor", Service.NORTH), 403, "role");
        assertProblem(api.get("/v2/orders", "south", Service.NORTH), 403, "tenant");
        assertProblem(api.place("large", Api.ORDER + " ".repeat(70_000)), 413, "65536 bytes");
        assertProblem(api.place("broken", "{\n\"customer_name\" \"Ann\"}"), 400, "line 2, column 17");
        assertProblem(api.place("list", "[]"), 400, "JSON object");
        assertProblem(api.get("/v2/orders?limit=x", "driver", Service.NORTH), 400, "limit must be a number");
        assertProblem(
                api.send(api.request("GET", "/v2/orders", "driver", Service.NORTH, "")
                        .setHeader("X-Tenant-ID", "north")),
                400,
                "X-Tenant-ID must be a UUID");
        assertProblem(api.get("/v3/%5Borders", "driver", Service.NORTH), 403, "endpoint");
    }

    private static void assertProblem(Answer answer, int status, String detail) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.body().path("detail").asString()).contains(detail);
        assertThat(answer.body().path("instance").asString())
                .isNotEqualTo("/error")
                .startsWith("/");
    }
}
