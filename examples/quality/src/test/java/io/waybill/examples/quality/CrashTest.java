package io.waybill.examples.quality;

import static io.waybill.examples.quality.Rows.awaitCount;
import static io.waybill.examples.quality.Rows.count;
import static io.waybill.examples.quality.Rows.handled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** The failure cases of the design: each kills or freezes a process at its most critical point. */
class CrashTest {
    private static final String WAITING =
            "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

    private String database = "";
    private JdbcTemplate jdbc = new JdbcTemplate();

    @BeforeEach
    void begin() {
        database = SharedServers.freshDatabase();
        jdbc = Rows.of(database);
    }

    /** Case A. */
    @Test
    void aRequestKilledBeforeItsCommitLeavesNeitherRowNorEvent() throws Exception {
        try (QualityProcess service = QualityProcess.start(database, "--quality.worker=off")) {
            long supplier = service.api().supplier("Bolts");
            HeldLock lock = HeldLock.onInsertsInto("outbox_events", database);
            CompletableFuture<Boolean> request = CompletableFuture.supplyAsync(() -> fails(service.api(), supplier));
            awaitCount(jdbc, 1, WAITING);
            service.kill();
            assertThat(request.get()).as("the client sees an error").isTrue();
            lock.release();
            awaitCount(
                    jdbc,
                    0,
                    "pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                            + " AND backend_type = 'client backend'");
        }
        assertThat(count(jdbc, "suppliers")).isEqualTo(1);
        assertThat(count(jdbc, "nonconformities")).isZero();
        assertThat(count(jdbc, "outbox_events")).isZero();
    }

    private static boolean fails(Api api, long supplier) {
        try {
            api.trySend(api.request("POST", "/ncs", api.token("quality"), """
                    {"supplier_id": %d, "severity": "low", "description": "lost"}""".formatted(supplier)));
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** Case B. */
    @Test
    void aCommittedEventIsHandledByALaterWorker() {
        long nc;
        try (QualityProcess service = QualityProcess.start(database, "--quality.worker=off")) {
            nc = service.api().nonconformity(service.api().supplier("Bolts"), "high");
            service.kill();
        }
        assertThat(count(jdbc, "outbox_states WHERE state = 'PENDING'")).isEqualTo(1);
        assertThat(count(jdbc, "audit_log")).isZero();

        Service.start(database, "--quality.worker=once").close();
        assertThat(count(jdbc, handled("NC_CREATED", "NonConformity", nc))).isEqualTo(1);
        Service.start(database, "--quality.worker=once").close();
        assertThat(count(jdbc, "audit_log")).as("once is enough").isEqualTo(1);
    }

    /** Case C. */
    @Test
    void anEventThatWasHandledButNotSettledHasNoSecondEffect() throws SQLException {
        try (QualityProcess service = QualityProcess.start(database)) {
            HeldLock handler = HeldLock.onInsertsInto("audit_log", database);
            service.api().nonconformity(service.api().supplier("Bolts"), "high");
            awaitCount(jdbc, 1, WAITING);
            HeldLock settlement = HeldLock.onRowsOf("outbox_cursors", database);
            handler.release();
            awaitCount(jdbc, 1, "audit_log");
            awaitCount(jdbc, 1, WAITING); // the settlement: the handler is through
            service.kill();
            settlement.release();
        }
        assertThat(count(jdbc, "outbox_states WHERE state = 'PUBLISHED'")).isZero();

        try (Service next = Service.start(database)) {
            awaitCount(jdbc, 1, "outbox_states WHERE state = 'PUBLISHED'");
            assertThat(next.api()
                            .send(next.api().request("GET", "/metrics", null, null))
                            .text())
                    .contains("worker_jobs_processed_total{event_type=\"NC_CREATED\",status=\"duplicate\"} 1.0");
        }
        assertThat(count(jdbc, "audit_log")).isEqualTo(1);
    }

    @Test
    void aWorkerThatWasFrozenBeyondItsLeaseHasNoSecondEffect() throws SQLException {
        try (QualityProcess frozen = QualityProcess.start(database)) {
            HeldLock handler = HeldLock.onInsertsInto("audit_log", database);
            long nc = frozen.api().nonconformity(frozen.api().supplier("Bolts"), "high");
            awaitCount(jdbc, 1, WAITING);
            frozen.suspend();
            handler.release(); // what waited for it stays open: its client is frozen
            // What the network would do to the connections of a machine that has gone away.
            jdbc.queryForList("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
            try (Service next = Service.start(database)) {
                awaitCount(jdbc, 1, handled("NC_CREATED", "NonConformity", nc));
                frozen.resume();
                await().atMost(Duration.ofMinutes(4)).until(() -> lost(frozen.api()));
                next.api().patch("/ncs/" + nc + "/close", "quality", null);
                awaitCount(jdbc, 1, handled("NC_CLOSED", "NonConformity", nc));
            }
        }
        assertThat(count(jdbc, "audit_log")).isEqualTo(2);
    }

    /** Whether the frozen worker has noticed that another one owns its lanes. */
    private static boolean lost(Api api) {
        return api.send(api.request("GET", "/metrics", null, null))
                .text()
                .lines()
                .filter(line -> line.matches("outbox_(fence_rejections|lease_losses)_total .*"))
                .anyMatch(line -> !line.endsWith(" 0.0"));
    }
}
