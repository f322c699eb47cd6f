package io.waybill.acceptance.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.acceptance.ScenarioServers;
import io.waybill.embedded.LocalKafka;
import io.waybill.embedded.LocalPostgres;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.Outboxes;
import io.waybill.processes.RelayProgram;
import io.waybill.processes.SagaProgram;
import io.waybill.processes.SagaWorkload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * S3, S4, S15, S17 and S20 in short: two saga engines and their participants are killed at random while sagas run over PostgreSQL and
 * Kafka. Steps are refused, participants stay silent, and starts roll back. S21: the broker and the database are killed, too.
 * {@code ./waybill chaos --saga-rate 100} runs many more sagas.
 */
class SagaCrashTest {
    private static final int KILLS = 4;
    private static final long SEED = Long.getLong("waybill.saga.seed", 7);
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets the field
    private Path folder;

    private final List<ChildProcess> engines = new ArrayList<>();

    @AfterEach
    void endEngines() {
        engines.forEach(ChildProcess::close);
    }

    @Test
    void everySagaHasAllOfItsEffectsOrNoneAlthoughEnginesAreKilled() throws Exception {
        ScenarioServers servers = ScenarioServers.shared();
        Random random = new Random(SEED);
        SagaWorkload.Verdict verdict = run(servers, workload -> {
            for (int kill = 1; kill <= KILLS; kill++) {
                awaitEnded(workload, 5 + random.nextInt(10));
                int victim = random.nextInt(engines.size());
                engines.get(victim).kill();
                engines.set(victim, engine(servers, victim));
            }
        });
        System.out.println("Seed " + SEED + ": " + verdict);
        assertThat(verdict.inDoubt()).isPositive();
    }

    @Test
    void everySagaHasAllOfItsEffectsOrNoneAlthoughBrokerAndDatabaseAreKilled() throws Exception {
        try (LocalPostgres postgres = LocalPostgres.start(folder.resolve("postgres"));
                LocalKafka kafka = LocalKafka.start(folder.resolve("kafka"))) {
            ScenarioServers servers = new ScenarioServers(postgres.jdbcUrl(), kafka.bootstrapServers());
            SagaWorkload.Verdict verdict = run(servers, workload -> {
                awaitEnded(workload, 5);
                kafka.kill();
                int open = workload.open();
                await("sagas start while the broker is down")
                        .atMost(PATIENCE)
                        .until(() -> workload.open() >= open + 10);
                kafka.restart();
                awaitEnded(workload, 5);
                postgres.kill();
                postgres.restart();
                awaitEnded(workload, 5);
            });
            System.out.println(verdict);
        }
    }

    private interface Faults {
        void inject(SagaWorkload workload) throws Exception;
    }

    /** Runs two engines during the faults, and waits until every saga has ended. */
    private SagaWorkload.Verdict run(ScenarioServers servers, Faults faults) throws Exception {
        String url = servers.jdbcUrl();
        try (HikariDataSource pool = Outboxes.pool(url, 3)) {
            OutboxSchema.apply(pool);
            InboxSchema.apply(pool);
            SagaWorkload.create(pool);
            SagaWorkload workload = new SagaWorkload(pool);
            try (ChildProcess relay = RelayProgram.start(
                    Engine.JOURNAL, url, servers.broker(), "relay", Duration.ofSeconds(3), List.of())) {
                relay.awaitStarted();
                for (int number = 0; number < 2; number++) {
                    engines.add(engine(servers, number));
                }
                engines.forEach(ChildProcess::awaitStarted);
                faults.inject(workload);
                engines.forEach(ChildProcess::awaitStarted);
                await("every saga ends").atMost(PATIENCE).until(() -> {
                    engines.forEach(engine -> engine.tell("rest"));
                    workload.retryStuck();
                    return workload.open() == 0;
                });
            }
            SagaWorkload.Verdict verdict = workload.check();
            assertThat(verdict.violations()).isEmpty();
            assertThat(verdict.completed()).isPositive();
            assertThat(verdict.rolledBack()).isPositive();
            return verdict;
        }
    }

    /** Waits until this many more sagas have ended. */
    private static void awaitEnded(SagaWorkload workload, int more) throws Exception {
        int ended = workload.check().ended() + more;
        await(more + " more sagas end")
                .atMost(PATIENCE)
                .ignoreExceptions() // the database may be about to restart
                .until(() -> workload.check().ended() >= ended);
    }

    private static ChildProcess engine(ScenarioServers servers, int number) {
        return ChildProcess.run(
                SagaProgram.class, List.of(), servers.jdbcUrl(), servers.broker(), "saga-engine-" + number, "5");
    }
}
