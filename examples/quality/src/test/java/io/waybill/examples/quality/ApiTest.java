package io.waybill.examples.quality;

import static io.waybill.examples.quality.Rows.awaitCount;
import static io.waybill.examples.quality.Rows.count;
import static io.waybill.examples.quality.Rows.handled;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.examples.quality.Api.Answer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** The endpoints and the events that they append. */
class ApiTest {
    private static final String TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private final Api api = Service.shared().api();
    private final JdbcTemplate jdbc = Service.shared().jdbc();

    @Test
    void aLoginReturnsAToken() {
        Answer good = api.post("/auth/login", null, "{\"username\":\"auditor\",\"password\":\"auditor\"}");
        assertThat(good.status()).isEqualTo(200);
        assertThat(good.body().path("token_type").asString()).isEqualTo("bearer");
        assertThat(good.body().path("access_token").asString()).isNotEmpty();

        for (String user : List.of("auditor", "nobody")) {
            Answer bad = api.post("/auth/login", null, "{\"username\":\"" + user + "\",\"password\":\"x\"}");
            assertThat(bad.status()).isEqualTo(401);
            assertThat(bad.body().path("detail").asString()).isEqualTo("Name or password is wrong.");
        }
    }

    @Test
    void aSupplierIsAddedOnceWithoutAnEvent() {
        String body = "{\"name\":\"Nuts & Sons \\ud83d\\udd29\",\"certification_expiry\":\"2031-01-02\"}";
        Answer first = api.post("/suppliers", "procurement", body);
        assertThat(first.status()).isEqualTo(201);
        assertThat(first.body().path("name").asString()).isEqualTo("Nuts & Sons \ud83d\udd29");
        assertThat(first.body().path("certification_expiry").asString()).isEqualTo("2031-01-02");

        Answer second = api.post("/suppliers", "admin", body);
        assertThat(second.status()).isEqualTo(400);
        assertThat(second.body().path("detail").asString()).contains("of this name already");
        assertThat(count(jdbc, "outbox_events WHERE aggregate_id = 'supplier-" + first.id() + "'"))
                .isZero();
    }

    @Test
    void aSupplierIsAtRiskWhileAHighNonconformityIsOpenOrItsCertificationHasExpired() {
        long supplier = api.supplier("Risky");
        assertRisk(supplier, 0, 0, 0, false);
        long low = api.nonconformity(supplier, "low");
        assertRisk(supplier, 1, 1, 0, false);
        long high = api.nonconformity(supplier, "high");
        assertRisk(supplier, 2, 2, 1, true);
        api.patch("/ncs/" + high + "/close", "quality", null);
        api.patch("/ncs/" + low + "/close", "quality", null);
        assertRisk(supplier, 2, 0, 0, false);

        Answer expired = api.patch(
                "/suppliers/" + supplier + "/certification",
                "procurement",
                "{\"certification_expiry\":\"2020-01-01\"}");
        assertThat(expired.status()).isEqualTo(200);
        assertThat(expired.body().path("certification_expiry").asString()).isEqualTo("2020-01-01");
        assertRisk(supplier, 2, 0, 0, true);
        awaitCount(jdbc, 1, handled("SUPPLIER_CERT_UPDATED", "Supplier", supplier));
        assertThat(payload("supplier-" + supplier))
                .matches(("\\{\"supplier_id\":%d,"
                                + "\"certification_expiry\":\"2020-01-01\",\"request_id\":\"[^\"]+\"}")
                        .formatted(supplier));
    }

    private void assertRisk(long supplier, int total, int open, int openHigh, boolean atRisk) {
        Answer answer = api.get("/suppliers/" + supplier, "auditor");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text())
                .contains("\"nc_total\":" + total, "\"nc_open\":" + open, "\"nc_open_high\":" + openHigh)
                .contains("\"is_at_risk\":" + atRisk);
    }

    @Test
    void closingTwiceAtTheSameTimeSucceedsTwiceWithOneEvent() {
        long nc = api.nonconformity(api.supplier("Twice"), "medium");
        List<CompletableFuture<Answer>> both = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> api.patch("/ncs/" + nc + "/close", "quality", null)))
                .toList();
        for (CompletableFuture<Answer> answer : both) {
            assertThat(answer.join().status()).isEqualTo(200);
            assertThat(answer.join().body().path("status").asString()).isEqualTo("CLOSED");
        }
        assertThat(count(jdbc, "outbox_events WHERE event_type = 'NC_CLOSED' AND aggregate_id = 'nc-" + nc + "'"))
                .isEqualTo(1);
        awaitCount(jdbc, 1, handled("NC_CLOSED", "NonConformity", nc));
    }

    @Test
    void theRequestIdGoesFromTheHeadersToTheAuditRow() {
        long supplier = api.supplier("Traced");
        Answer answer = api.send(api.request("POST", "/ncs", api.token("quality"), """
                        {"supplier_id": %d, "severity": "high", "description": "traced"}""".formatted(supplier))
                .header("X-Request-Id", "order-4711")
                .header("traceparent", TRACEPARENT));
        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.header("X-Request-Id")).isEqualTo("order-4711");
        assertThat(answer.header("traceparent")).isEqualTo(TRACEPARENT);
        awaitCount(jdbc, 1, handled("NC_CREATED", "NonConformity", answer.id()));

        Map<String, Object> event = jdbc.queryForMap(
                "SELECT headers ->> 'correlation-id' AS request, headers ->> 'traceparent' AS trace FROM outbox_events"
                        + " WHERE aggregate_id = ?",
                "nc-" + answer.id());
        assertThat(event).containsEntry("request", "order-4711").containsEntry("trace", TRACEPARENT);
        assertThat(payload("nc-" + answer.id()))
                .isEqualTo("{\"nc_id\":%d,\"supplier_id\":%d,\"severity\":\"high\",\"request_id\":\"order-4711\"}"
                        .formatted(answer.id(), supplier));
        Map<String, Object> row = jdbc.queryForMap(
                "SELECT meta_json ->> 'request_id' AS request, meta_json ->> 'traceparent' AS trace,"
                        + " meta_json ->> 'requested_by' AS by FROM audit_log WHERE entity_type = 'NonConformity' AND"
                        + " entity_id = ?",
                answer.id());
        assertThat(row)
                .containsEntry("request", "order-4711")
                .containsEntry("trace", TRACEPARENT)
                .containsEntry("by", "quality");
    }

    @Test
    void listsArePagedAndFiltered() {
        long supplier = api.supplier("Listed");
        List<Long> ids = IntStream.range(0, 5)
                .mapToObj(i -> api.nonconformity(supplier, i % 2 == 0 ? "low" : "medium"))
                .toList();
        api.patch("/ncs/" + ids.get(0) + "/close", "quality", null);

        Answer all = api.get("/ncs?limit=100", "procurement");
        assertThat(all.header("X-Total-Count")).isEqualTo(Long.toString(count(jdbc, "nonconformities")));
        assertThat(api.get("/ncs?limit=2&offset=1", "quality").body()).hasSize(2);
        assertThat(api.get("/ncs?limit=2&offset=1", "quality").body().path(0))
                .isEqualTo(all.body().path(1));
        assertThat(api.get("/ncs?status=CLOSED&severity=low&limit=100", "auditor")
                        .body())
                .allSatisfy(nc -> {
                    assertThat(nc.path("status").asString()).isEqualTo("CLOSED");
                    assertThat(nc.path("severity").asString()).isEqualTo("low");
                })
                .anySatisfy(nc -> assertThat(nc.path("id").asLong()).isEqualTo(ids.get(0)));
        assertThat(api.get("/suppliers", "quality").body().size()).isLessThanOrEqualTo(20);
        assertThat(api.get("/suppliers?offset=1000000", "quality").text()).isEqualTo("[]");

        awaitCount(
                jdbc,
                5,
                "audit_log WHERE action = 'NC_CREATED_HANDLED' AND entity_id >= " + ids.get(0) + " AND entity_id <= "
                        + ids.get(4));
        Answer trail = api.get("/audit-log?limit=100", "auditor");
        List<Long> order = IntStream.range(0, trail.body().size())
                .mapToObj(i -> trail.body().path(i).path("id").asLong())
                .toList();
        assertThat(order).isSortedAccordingTo((a, b) -> Long.compare(b, a));
        assertThat(trail.body().path(0).path("actor").asString()).isEqualTo("system");
    }

    @Test
    void theKeyFiguresMatchTheRows() {
        api.nonconformity(api.supplier("Counted"), "high");
        awaitCount(jdbc, count(jdbc, "outbox_events"), "audit_log");
        Answer kpi = api.get("/kpi", "quality");
        assertThat(kpi.status()).isEqualTo(200);
        Map<String, String> rows = Map.of(
                "nc_open", "nonconformities WHERE status = 'OPEN'",
                "nc_open_high", "nonconformities WHERE status = 'OPEN' AND severity = 'HIGH'",
                "nc_closed", "nonconformities WHERE status = 'CLOSED'",
                "outbox_pending", "outbox_waiting",
                "outbox_failed", "inbox_dead_letters",
                "audit_events_total", "audit_log",
                "suppliers_at_risk",
                        "suppliers s WHERE certification_expiry < current_date OR EXISTS (SELECT FROM nonconformities n"
                                + " WHERE n.supplier_id = s.id AND severity = 'HIGH' AND status = 'OPEN')");
        rows.forEach((name, from) ->
                assertThat(kpi.body().path(name).asLong(-1)).as(name).isEqualTo(count(jdbc, from)));
    }

    private String payload(String key) {
        return String.valueOf(jdbc.queryForObject(
                "SELECT payload::text FROM outbox_events WHERE aggregate_id = ? ORDER BY seq LIMIT 1",
                String.class,
                key));
    }
}
