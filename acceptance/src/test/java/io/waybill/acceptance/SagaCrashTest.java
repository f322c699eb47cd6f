package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.Outboxes;
import io.waybill.processes.RelayProgram;
import io.waybill.processes.SagaProgram;
import io.waybill.processes.SagaWorkload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * S3, S4, S15, S17 and S20 in short: two saga engines and their participants are killed at random while sagas run over PostgreSQL and
 * Kafka. Steps are refused, participants stay silent, and starts roll back. {@code ./waybill chaos} adds outages of the broker and of
 * the database (S21).
 */
class SagaCrashTest {
    private static final int KILLS = 4;
    private static final long SEED = Long.getLong("waybill.saga.seed", 7);
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @Test
    void everySagaHasAllOfItsEffectsOrNoneAlthoughEnginesAreKilled() throws Exception {
        ScenarioServers servers = ScenarioServers.shared();
        String url = servers.jdbcUrl();
        Random random = new Random(SEED);
        List<ChildProcess> engines = new ArrayList<>();
        try (HikariDataSource pool = Outboxes.pool(url, 3)) {
            OutboxSchema.apply(pool);
            InboxSchema.apply(pool);
            SagaWorkload.create(pool);
            SagaWorkload workload = new SagaWorkload(pool);
            try (ChildProcess relay = RelayProgram.start(
                    Engine.JOURNAL, url, servers.broker(), "relay", Duration.ofSeconds(3), List.of())) {
                relay.awaitStarted();
                engines.add(engine(url, servers, 0));
                engines.add(engine(url, servers, 1));
                engines.forEach(ChildProcess::awaitStarted);
                for (int kill = 1; kill <= KILLS; kill++) {
                    int ended = workload.check().ended() + 5 + random.nextInt(10);
                    await("sagas end after kill " + kill)
                            .atMost(PATIENCE)
                            .until(() -> workload.check().ended() >= ended);
                    int victim = random.nextInt(engines.size());
                    engines.get(victim).kill();
                    engines.set(victim, engine(url, servers, victim));
                }
                engines.forEach(ChildProcess::awaitStarted);
                await("every saga ends").atMost(PATIENCE).until(() -> {
                    engines.forEach(engine -> engine.tell("rest"));
                    workload.retryStuck();
                    return workload.open() == 0;
                });
            }
            SagaWorkload.Verdict verdict = workload.check();
            System.out.println("Seed " + SEED + ": " + verdict);
            assertThat(verdict.violations()).isEmpty();
            assertThat(verdict.completed()).isPositive();
            assertThat(verdict.rolledBack()).isPositive();
            assertThat(verdict.inDoubt()).isPositive();
        } finally {
            engines.forEach(ChildProcess::close);
        }
    }

    private static ChildProcess engine(String url, ScenarioServers servers, int number) {
        return ChildProcess.run(SagaProgram.class, List.of(), url, servers.broker(), "saga-engine-" + number, "5");
    }
}
