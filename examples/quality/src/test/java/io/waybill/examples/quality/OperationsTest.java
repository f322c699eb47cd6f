package io.waybill.examples.quality;

import static io.waybill.examples.quality.Rows.awaitCount;
import static io.waybill.examples.quality.Rows.handled;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.examples.quality.Api.Answer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Health, readiness, metrics, response headers, and the description of the API. */
class OperationsTest {
    private final Service service = Service.shared();
    private final Api api = service.api();

    @Test
    void theServiceIsAliveAndReady() {
        assertThat(open("/health").text()).isEqualTo("{\"status\":\"ok\"}");
        assertThat(open("/healthz").text()).isEqualTo("{\"status\":\"ok\"}");
        Answer ready = open("/readyz");
        assertThat(ready.status()).isEqualTo(200);
        assertThat(ready.body().path("revision").asString()).isEqualTo("3");
    }

    @Test
    void theServiceIsNotReadyWithTablesOfAnotherRevision() {
        Map<String, Object> row = service.jdbc()
                .queryForMap(
                        "SELECT installed_rank, checksum FROM flyway_schema_history WHERE version IS NULL LIMIT 1");
        service.jdbc()
                .update(
                        "UPDATE flyway_schema_history SET checksum = 1 WHERE installed_rank = ?",
                        row.get("installed_rank"));
        try {
            Answer ready = open("/readyz");
            assertThat(ready.status()).isEqualTo(503);
            assertThat(ready.body().path("database").asString()).isEqualTo("up");
            assertThat(ready.body().path("pending")).hasSize(1);
        } finally {
            service.jdbc()
                    .update(
                            "UPDATE flyway_schema_history SET checksum = ? WHERE installed_rank = ?",
                            row.get("checksum"),
                            row.get("installed_rank"));
        }
        assertThat(open("/readyz").status()).isEqualTo(200);
    }

    @Test
    void theMetricsHaveTheirDocumentedNames() {
        long nc = api.nonconformity(api.supplier("Measured"), "low");
        awaitCount(service.jdbc(), 1, handled("NC_CREATED", "NonConformity", nc));
        open("/nowhere");
        Answer metrics = open("/metrics");
        assertThat(metrics.header("Content-Type")).startsWith("text/plain");
        assertThat(metrics.text().lines())
                .anyMatch(line -> line.matches("worker_poll_iterations_total\\{result=\"ok\"} [1-9].*"))
                .anyMatch(line -> line.matches("worker_poll_iterations_total\\{result=\"empty\"} [1-9].*"))
                .anyMatch(line -> line.matches("worker_poll_duration_seconds_count [1-9].*"))
                .anyMatch(line -> line.matches(
                        "worker_jobs_processed_total\\{event_type=\"NC_CREATED\",status=\"processed\"} [1-9].*"))
                .anyMatch(line -> line.matches(
                        "worker_job_duration_seconds_bucket\\{event_type=\"NC_CREATED\",le=\"[0-9.]+\"} .*"))
                .anyMatch(line -> line.matches("outbox_unprocessed_total [0-9].*"))
                .anyMatch(line -> line.matches("outbox_oldest_unprocessed_age_seconds [0-9].*"))
                .anyMatch(line -> line.matches(
                        "http_requests_total\\{method=\"POST\",route=\"/ncs\",status_code=\"201\"} [1-9].*"))
                .anyMatch(line -> line.matches(
                        "http_requests_total\\{method=\"GET\",route=\"unmatched\",status_code=\"401\"} [1-9].*"))
                .anyMatch(line -> line.startsWith("http_server_requests_seconds_bucket"))
                .anyMatch(line -> line.startsWith("outbox_published_total"))
                .anyMatch(line -> line.startsWith("inbox_outcomes_total"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/index.html", "/health", "/kpi", "/swagger-ui/index.html"})
    void thePolicyAllowsNoForeignScripts(String path) {
        Answer answer = open(path);
        assertThat(answer.header("Content-Security-Policy"))
                .contains("default-src 'self'", "frame-ancestors 'none'", "object-src 'none'")
                .doesNotContain("script-src", "unsafe-eval");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(answer.header("X-Frame-Options")).isEqualTo("DENY");
        assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(answer.headers().map()).doesNotContainKey("set-cookie");
    }

    @Test
    void theDescriptionNamesTheRolesOfEachEndpoint() {
        JsonNode close =
                open("/openapi").body().path("paths").path("/ncs/{id}/close").path("patch");
        assertThat(close.path("description").asString()).isEqualTo("Roles: admin, quality.");
        assertThat(close.path("responses").propertyNames()).contains("200", "400", "401", "403", "404");
        assertThat(open("/swagger-ui/index.html").text()).contains("swagger").doesNotContain("<script>");
    }

    private Answer open(String path) {
        return api.send(api.request("GET", path, null, null));
    }
}
