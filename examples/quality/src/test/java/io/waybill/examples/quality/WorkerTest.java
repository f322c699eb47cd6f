package io.waybill.examples.quality;

import static io.waybill.examples.quality.Rows.awaitCount;
import static io.waybill.examples.quality.Rows.count;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.testkit.servers.SharedServers;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** The worker with failing handlers, and as a one-shot job. */
class WorkerTest {
    private final String database = SharedServers.freshDatabase();
    private final JdbcTemplate jdbc = Rows.of(database);

    @Test
    void aHandlerThatFailsAfterItsWriteRollsBackUntilItSucceeds() {
        try (Service failing = Service.start(database, "--quality.chaos.failing-handlers=NC_CLOSED")) {
            long nc = failing.api().nonconformity(failing.api().supplier("Bolts"), "high");
            failing.api().patch("/ncs/" + nc + "/close", "quality", null);
            awaitCount(jdbc, 1, "inbox_dead_letters WHERE event_type = 'NC_CLOSED' AND attempts = 5");
            awaitCount(jdbc, 1, "audit_log");
            assertThat(count(jdbc, "audit_log WHERE action = 'NC_CLOSED_HANDLED'"))
                    .isZero();
            assertThat(count(jdbc, "processed_events WHERE event_type = 'NC_CLOSED' AND outcome = 'PROCESSED'"))
                    .isZero();
            assertThat(failing.api()
                            .get("/kpi", "admin")
                            .body()
                            .path("outbox_failed")
                            .asInt())
                    .isEqualTo(1);
        }
        try (Service healed = Service.start(database)) {
            String id = String.valueOf(jdbc.queryForObject("SELECT event_id FROM inbox_dead_letters", String.class));
            assertThat(replay(healed, id, "\"actor\": \"mallory\", "))
                    .as("the actor is the authenticated user")
                    .isEqualTo(400);
            assertThat(replay(healed, id, "")).isEqualTo(200);
            assertThat(jdbc.queryForObject("SELECT actor FROM inbox_audit", String.class))
                    .isEqualTo("admin");
            awaitCount(jdbc, 1, "audit_log WHERE action = 'NC_CLOSED_HANDLED'");
            assertThat(replay(healed, id, ""))
                    .as("there is nothing more to replay")
                    .isEqualTo(400);
            assertThat(count(jdbc, "audit_log")).isEqualTo(2);
        }
    }

    private static int replay(Service service, String id, String actor) {
        return service.api()
                .post("/actuator/outbox/" + id, "admin", """
                {"action": "replay", %s"reason": "handler repaired"}""".formatted(actor))
                .status();
    }

    @Test
    void anEventOfAnUnknownTypeHasFiveAttemptsAndIsNeverMarkedAsProcessed() {
        try (Service service = Service.start(database)) {
            jdbc.update("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                    + " VALUES ('NonConformity', 'nc-1', 'NC_EXPLODED', '{}')");
            awaitCount(jdbc, 1, "inbox_dead_letters WHERE event_type = 'NC_EXPLODED' AND attempts = 5");
            assertThat(count(jdbc, "processed_events WHERE outcome = 'PROCESSED'"))
                    .isZero();
            assertThat(count(jdbc, "audit_log")).isZero();
            assertThat(service.api()
                            .send(service.api().request("GET", "/metrics", null, null))
                            .text())
                    .contains("worker_jobs_processed_total{event_type=\"NC_EXPLODED\",status=\"retry_scheduled\"} 4.0")
                    .contains("worker_jobs_processed_total{event_type=\"NC_EXPLODED\",status=\"dead_lettered\"} 1.0");
        }
    }
}
