package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.testkit.store.StoreBackend.Writer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Relays send several statements and the commit in one message. Settings of the driver influence how it handles such a message. */
class DriverSettingsTest {
    private static final int ROUNDS = 12; // the driver prepares a statement after five executions

    @ParameterizedTest
    @ValueSource(
            strings = {
                "preferQueryMode=simple",
                "preferQueryMode=extendedForPrepared",
                "prepareThreshold=0",
                "autosave=always&cleanupSavepoints=true",
                "autosave=conservative",
                "reWriteBatchedInserts=true",
                "binaryTransfer=false",
                "defaultRowFetchSize=1",
                "defaultRowFetchSize=1&adaptiveFetch=true&maxResultBuffer=10M",
            })
    void bothEnginesWorkWithEachSetting(String setting) {
        try (JdbcBackend journal = PostgresBackend.journal(database(setting));
                JdbcBackend queue = JdbcBackend.queue(database(setting))) {
            work(journal);
            work(queue);
        }
    }

    private static String database(String setting) {
        String url = SharedServers.freshDatabase();
        return url + (url.contains("?") ? "&" : "?") + setting;
    }

    private static void work(JdbcBackend backend) {
        Lease lease = backend.store().acquire("r", 4, Duration.ofMinutes(1)).orElseThrow(); // the lane of key k
        List<PublishOutcome> outcomes = List.of();
        for (int round = 0; round < ROUNDS; round++) {
            append(backend, round);
            append(backend, round);
            assertThat(backend.store().ready(List.of(3, 4))).containsExactly(4);
            List<ClaimedEvent> claims = backend.store().advance(lease, outcomes, 10);
            assertThat(claims).extracting(c -> c.event().payload()).containsExactly("" + round, "" + round);
            outcomes = claims.stream()
                    .<PublishOutcome>map(PublishOutcome.Published::new)
                    .toList();
        }
        backend.store().heartbeat(new RelayReport("r", "here", "test", 0, 0), Duration.ofMinutes(1));
        assertThat(backend.view().status().lanes()).hasSize(8);
        assertThat(backend.store().advance(lease, outcomes, 10)).isEmpty();
        assertThat(backend.query("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
                        + " AND datname = current_database()"))
                .isEqualTo("0");
    }

    private static void append(JdbcBackend backend, int number) {
        try (Writer writer = backend.begin()) {
            writer.append(Event.of("t", "A", "k", "" + number));
            writer.commit();
        }
    }
}
