package io.waybill.examples.quality;

import static io.waybill.examples.quality.Rows.awaitCount;
import static io.waybill.examples.quality.Rows.count;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.examples.quality.Api.Answer;
import io.waybill.testkit.network.TcpProxy;
import io.waybill.testkit.servers.SharedServers;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** The answer to a failed request has the outcome of its change, which can be unknown. */
class CommitOutcomeTest {
    private static final String WAITING =
            "pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()";

    private static String database;
    private static JdbcTemplate jdbc;
    private static TcpProxy link;
    private static Service service;

    @BeforeAll
    static void start() {
        database = SharedServers.freshDatabase();
        jdbc = Rows.of(database);
        int port = URI.create(database.substring("jdbc:".length())).getPort();
        link = TcpProxy.to(port);
        service = Service.start(database.replace(":" + port + "/", ":" + link.port() + "/"), "--quality.worker=off");
    }

    @AfterAll
    static void stop() {
        service.close();
        link.close();
    }

    @Test
    void theOutcomeOfACommitWithoutAnAnswerIsUnknown() throws Exception {
        long supplier = service.api().supplier("Lost answer");
        HeldLock commit = HeldLock.onCommitsInto("nonconformities", database);
        CompletableFuture<Answer> request = report(supplier);
        awaitCount(jdbc, 1, WAITING);
        link.dropToClient();
        commit.release();
        awaitCount(jdbc, 1, "nonconformities WHERE supplier_id = " + supplier);
        link.heal();
        Answer answer = request.get();
        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.body().path("outcome").asString()).isEqualTo("unknown");
        assertThat(answer.body().path("detail").asString())
                .contains("unknown", "GET", "X-Request-Id")
                .doesNotContain("nothing was changed", "Try again");
    }

    @Test
    void theOutcomeOfAFailureBeforeTheCommitIsUnchanged() throws Exception {
        long supplier = service.api().supplier("Ended early");
        HeldLock insert = HeldLock.onInsertsInto("outbox_events", database);
        CompletableFuture<Answer> request = report(supplier);
        awaitCount(jdbc, 1, WAITING);
        jdbc.queryForList("SELECT pg_terminate_backend(pid) FROM " + WAITING);
        Answer answer = request.get();
        insert.release();
        assertThat(answer.status()).isGreaterThanOrEqualTo(500);
        assertThat(answer.body().path("outcome").asString()).isEqualTo("unchanged");
        assertThat(answer.body().path("detail").asString()).contains("othing was changed");
        assertThat(count(jdbc, "nonconformities WHERE supplier_id = " + supplier))
                .isZero();
    }

    private static CompletableFuture<Answer> report(long supplier) {
        Api api = service.api();
        return CompletableFuture.supplyAsync(() -> api.post("/ncs", "quality", """
                {"supplier_id": %d, "severity": "low", "description": "scratched"}""".formatted(supplier)));
    }
}
