package io.waybill.examples.quality;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.examples.quality.Api.Answer;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid requests are refused with the right status and a helpful body, and nothing is stored. */
class BadInputTest {
    private final Api api = Service.shared().api();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}                                                                | name
            {"name":null}                                                     | name
            {"name":""}                                                       | name
            {"name":"   "}                                                    | name
            {"name":"a\\u0000b"}                                              | name
            {"name":"half \\ud83d"}                                           | name
            {"name":5}                                                        | name
            {"name":true}                                                     | name
            {"name":["x"]}                                                    | name
            {"name":"x","certification_expiry":"31.12.2030"}                  | certification_expiry
            {"name":"x","certification_expiry":"2030-02-31"}                  | certification_expiry
            {"name":"x","certification_expiry":""}                            | certification_expiry
            {"name":"x","certification_expiry":20300101}                      | certification_expiry
            {"name":"x","colour":"red"}                                       | colour
            {"name":"x","name":"y"}                                           | JSON
            {"name":"x"                                                       | JSON
            {"name":"x"} {}                                                   | JSON
            []                                                                | JSON
            "x"                                                               | JSON
            nonsense                                                          | JSON
            """)
    void suppliers(String body, String named) {
        refused(api.post("/suppliers", "procurement", body), 400, named);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"severity":"low","description":"x"}                              | supplier_id
            {"supplier_id":"1","severity":"low","description":"x"}            | supplier_id
            {"supplier_id":1.5,"severity":"low","description":"x"}            | supplier_id
            {"supplier_id":99999999999999999999,"severity":"low","description":"x"} | out of range
            {"supplier_id":-1,"severity":"low","description":"x"}             | no supplier -1
            {"supplier_id":1,"severity":"severe","description":"x"}           | low, medium, high
            {"supplier_id":1,"severity":1,"description":"x"}                  | severity
            {"supplier_id":1,"description":"x"}                               | severity
            {"supplier_id":1,"severity":"low"}                                | description
            {"supplier_id":1,"severity":"low","description":"\\u0000"}        | description
            {"supplier_id":1,"severity":"low","description":"x","status":"CLOSED"} | status
            """)
    void nonconformities(String body, String named) {
        refused(api.post("/ncs", "quality", body), 400, named);
    }

    @Test
    void theLongestAcceptedTextFitsIntoTheTables() {
        assertThat(api.post("/suppliers", "admin", "{\"name\":\"" + "n".repeat(200) + "\"}")
                        .status())
                .isEqualTo(201);
        refused(api.post("/suppliers", "admin", "{\"name\":\"" + "n".repeat(201) + "\"}"), 400, "name");
        long supplier = api.supplier("Lengths");
        String nc = "{\"supplier_id\":" + supplier + ",\"severity\":\"low\",\"description\":\"%s\"}";
        assertThat(api.post("/ncs", "admin", nc.formatted("d".repeat(2000))).status())
                .isEqualTo(201);
        refused(api.post("/ncs", "admin", nc.formatted("d".repeat(2001))), 400, "description");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit=0",
                "limit=101",
                "limit=-1",
                "limit=x",
                "limit=1.5",
                "limit=99999999999",
                "offset=-1",
                "offset=1000001",
                "offset=x"
            })
    void slices(String query) {
        for (String list : new String[] {"/suppliers", "/ncs", "/audit-log"}) {
            refused(api.get(list + "?" + query, "admin"), 400, query.replaceAll("=.*", ""));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/ncs?status=HALF, status",
        "/ncs?severity=low%00, severity",
        "/suppliers/abc, id",
        "/suppliers/1e3, id",
        "/suppliers/99999999999999999999, id"
    })
    void parameters(String path, String named) {
        refused(api.get(path, "admin"), 400, named);
    }

    @Test
    void anUnknownIdIsNotFound() {
        refused(api.get("/suppliers/0", "admin"), 404, "supplier 0");
        refused(api.patch("/ncs/0/close", "admin", null), 404, "non-conformity 0");
        refused(
                api.patch("/suppliers/0/certification", "admin", "{\"certification_expiry\":\"2030-01-01\"}"),
                404,
                "supplier 0");
        refused(api.get("/nowhere", "admin"), 404, "nowhere");
    }

    @Test
    void certificationsNeedADate() {
        String path = "/suppliers/" + api.supplier("Dates") + "/certification";
        refused(api.patch(path, "admin", "{}"), 400, "certification_expiry");
        refused(api.patch(path, "admin", "{\"certification_expiry\":null}"), 400, "certification_expiry");
    }

    @Test
    void otherMethodsAndFormatsAreRefused() {
        refused(api.send(api.request("DELETE", "/suppliers", api.token("admin"), null)), 405, "DELETE");
        refused(
                api.send(api.request("POST", "/suppliers", api.token("admin"), null)
                        .header("Content-Type", "text/plain")
                        .POST(HttpRequest.BodyPublishers.ofString("name=x"))),
                415,
                "text/plain");
    }

    @Test
    void largeBodiesAreRefusedWithAndWithoutADeclaredLength() {
        String huge = "{\"name\":\"" + "x".repeat(10_000_000) + "\"}";
        refused(
                api.send(api.request("POST", "/suppliers", api.token("admin"), "{}")
                        .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(
                                huge.substring(0, 70_000).getBytes(StandardCharsets.UTF_8))))),
                413,
                "larger than");
        refused(api.post("/suppliers", "admin", huge.substring(0, 70_000)), 413, "larger than");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "<script>", "x%0d%0ay", "é"})
    void requestIdsThatCouldForgeALogLineAreReplaced(String id) {
        Answer answer = api.send(api.request("GET", "/health", null, null)
                .header("X-Request-Id", id)
                .header("traceparent", "00-00000000000000000000000000000000-00f067aa0ba902b7-01"));
        assertThat(answer.header("X-Request-Id")).matches("[0-9a-f-]{36}");
        assertThat(answer.header("traceparent"))
                .matches("00-[0-9a-f]{32}-[0-9a-f]{16}-01")
                .doesNotContain("0000000000000000");
    }

    private static void refused(Answer answer, int status, String named) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
        assertThat(answer.body().path("status").asInt()).isEqualTo(status);
        assertThat(answer.body().path("title").asString()).isNotEmpty();
        assertThat(answer.text()).contains(named).doesNotContain("io.waybill", "Exception", "java.lang");
    }
}
