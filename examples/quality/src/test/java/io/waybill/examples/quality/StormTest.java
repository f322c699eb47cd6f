package io.waybill.examples.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.embedded.FreePort;
import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A thousand requests, a hundred at a time, while the service is killed again and again. A client whose connection breaks does not
 * know whether its change was made; the rows decide, and every row that changed has one audit row for each change.
 */
class StormTest {
    private static final int CLIENTS = 100;
    private static final int CREATED_BY_EACH = 5;
    private static final int REQUESTS = CLIENTS * CREATED_BY_EACH * 2;
    private static final List<Integer> KILLED_AFTER = List.of(200, 500, 800);

    private final int port = FreePort.find();
    private final Api api = new Api(port);
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger unknown = new AtomicInteger();
    private final Set<Long> created = ConcurrentHashMap.newKeySet();
    private final Set<Long> closed = ConcurrentHashMap.newKeySet();

    @Test
    void everyCommittedChangeHasExactlyOneAuditRow() throws Exception {
        String database = SharedServers.freshDatabase();
        JdbcTemplate jdbc = Rows.of(database);
        QualityProcess service = QualityProcess.start(port, database);
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            long supplier = api.supplier("Bolts");
            api.token("quality");
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                running.add(clients.submit(() -> createAndClose(supplier)));
            }
            for (int count : KILLED_AFTER) {
                await().atMost(Duration.ofMinutes(4)).until(() -> requests.get() >= count);
                service.kill();
                service = QualityProcess.start(port, database);
            }
            for (Future<?> client : running) {
                client.get();
            }
            assertThat(requests.get()).isEqualTo(REQUESTS);
            Rows.awaitCount(jdbc, Rows.count(jdbc, "outbox_events"), "audit_log");
        } finally {
            clients.shutdownNow();
            service.kill();
        }
        assertThat(unknown.get()).as("requests that a kill has cut off").isPositive();
        assertThat(ids(jdbc, "SELECT id FROM nonconformities")).containsAll(created);
        assertThat(ids(jdbc, "SELECT id FROM nonconformities WHERE status = 'CLOSED'"))
                .containsAll(closed);
        assertThat(ids(jdbc, "SELECT entity_id FROM audit_log WHERE action = 'NC_CREATED_HANDLED'"))
                .containsExactlyInAnyOrderElementsOf(ids(jdbc, "SELECT id FROM nonconformities"));
        assertThat(ids(jdbc, "SELECT entity_id FROM audit_log WHERE action = 'NC_CLOSED_HANDLED'"))
                .containsExactlyInAnyOrderElementsOf(
                        ids(jdbc, "SELECT id FROM nonconformities WHERE status = 'CLOSED'"));
    }

    private static List<Long> ids(JdbcTemplate jdbc, String sql) {
        return jdbc.queryForList(sql, Long.class);
    }

    private void createAndClose(long supplier) {
        String body = "{\"supplier_id\":%d,\"severity\":\"low\",\"description\":\"storm\"}".formatted(supplier);
        for (int i = 0; i < CREATED_BY_EACH; i++) {
            Api.Answer answer = once("POST", "/ncs", body);
            if (answer != null && answer.status() == 201) {
                created.add(answer.id());
                Api.Answer end = once("PATCH", "/ncs/" + answer.id() + "/close", null);
                if (end != null && end.status() == 200) {
                    closed.add(answer.id());
                }
            } else {
                requests.incrementAndGet(); // cannot be closed, because its id is unknown
            }
        }
    }

    /** Returns null when the outcome is unknown. A request that was not sent is sent again when the service is back. */
    private Api.@Nullable Answer once(String method, String path, @Nullable String body) {
        while (true) {
            try {
                Api.Answer answer = api.trySend(api.request(method, path, api.token("quality"), body));
                requests.incrementAndGet();
                return answer;
            } catch (ConnectException | HttpConnectTimeoutException down) {
                pause();
            } catch (IOException cutOff) {
                requests.incrementAndGet();
                unknown.incrementAndGet();
                return null;
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
