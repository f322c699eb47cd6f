package io.waybill.examples.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.testkit.servers.SharedServers;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The service on the table of the original: status PENDING, then PROCESSED. */
class SeedTableTest {
    @Test
    void eventsInTheOriginalTableAreAuditedOnceAndMarkedAsProcessed() {
        try (Service service = Service.start(SharedServers.freshDatabase(), "--spring.profiles.active=seed-table")) {
            Api api = service.api();
            long nc = api.nonconformity(api.supplier("Bolts"), "high");
            assertThat(api.patch("/ncs/" + nc + "/close", "quality", null).status())
                    .isEqualTo(200);
            await("both events are processed")
                    .until(() -> states(service), List.of("NC_CREATED PROCESSED", "NC_CLOSED PROCESSED")::equals);
            assertThat(service.jdbc().queryForList("SELECT action FROM audit_log ORDER BY id", String.class))
                    .containsExactly("NC_CREATED_HANDLED", "NC_CLOSED_HANDLED");
            assertThat(service.jdbc()
                            .queryForList(
                                    "SELECT meta_json ->> 'user-id' FROM seed.outbox_events WHERE processed_at IS NOT NULL",
                                    String.class))
                    .containsExactly("quality", "quality");
            assertThat(service.jdbc().queryForObject("SELECT count(*) FROM outbox_events", Long.class))
                    .as("the journal is not used")
                    .isZero();

            service.jdbc()
                    .execute(
                            "ALTER TABLE seed.outbox_events ADD CONSTRAINT refused CHECK (event_type <> 'NC_CREATED') NOT VALID");
            assertThat(api.post("/ncs", "quality", "{\"supplier_id\":1,\"severity\":\"low\",\"description\":\"x\"}")
                            .status())
                    .isGreaterThanOrEqualTo(400);
            assertThat(service.jdbc().queryForObject("SELECT count(*) FROM nonconformities", Long.class))
                    .as("without its event, the change is rolled back")
                    .isEqualTo(1);
            assertThat(api.get("/kpi", "auditor").body().path("outbox_pending").asLong())
                    .isZero();
        }
    }

    private static List<String> states(Service service) {
        return service.jdbc()
                .queryForList("SELECT event_type || ' ' || status FROM seed.outbox_events ORDER BY id", String.class);
    }
}
