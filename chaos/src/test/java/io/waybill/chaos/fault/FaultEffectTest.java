package io.waybill.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterOptions;
import io.waybill.chaos.cluster.ClusterProcess;
import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.jdbc.Engine;
import io.waybill.testkit.network.TcpProxy;
import io.waybill.testkit.servers.DebianPackage;
import io.waybill.testkit.servers.NotRun;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each fault has the effect that its description states, and ends it again. All tests share one cluster with two relays and a writer. */
class FaultEffectTest {
    private static final ClusterSize SHAPE = new ClusterSize(2, 1, 1);
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private static Cluster cluster;
    private static boolean clockCanStep;

    @BeforeAll
    static void create(@TempDir Path folder) throws Exception {
        ClusterOptions options = new ClusterOptions(Engine.JOURNAL, SHAPE, folder);
        clockCanStep = DebianPackage.installed("faketime", Path.of("/usr/bin/faketime"));
        if (clockCanStep) {
            new ClockStep().prepare(options);
        }
        cluster = Cluster.create(options);
        cluster.relays().forEach(ClusterProcess::start);
        cluster.writers().forEach(ClusterProcess::start);
        awaitNumber("SELECT count(*) FROM outbox_states WHERE state = 'PUBLISHED'", 20);
    }

    @AfterAll
    static void close() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void onlyOneRelayLosesTheBroker() throws Exception {
        List<TcpProxy> links = cluster.broker().relayLinks();
        await().atMost(PATIENCE).until(() -> links.stream().allMatch(link -> link.connections() > 0));
        Injection injection = new OneBrokerLinkCut().draw(new Random(1), SHAPE);
        injection.inject(cluster);
        assertThat(links.stream().filter(link -> link.connections() == 0)).hasSize(1);
        injection.heal(cluster);
        await().atMost(PATIENCE).until(() -> links.stream().allMatch(link -> link.connections() > 0));
    }

    @Test
    void theClockOfTheDatabaseStepsAndReturns() throws Exception {
        if (!clockCanStep) {
            throw NotRun.because("faketime is not installed. Run: apt-get install faketime");
        }
        for (int seed = 1; seed <= 3; seed++) {
            Injection injection = new ClockStep().draw(new Random(seed), SHAPE);
            injection.inject(cluster);
            assertThat(Math.abs(secondsAhead())).as(injection.parameters()).isGreaterThan(200);
            injection.heal(cluster);
            assertThat(Math.abs(secondsAhead())).isLessThan(60);
        }
    }

    @Test
    void aBurstOfBigEventsIsWritten() throws Exception {
        Injection injection = new BigEvents().draw(new Random(1), SHAPE);
        injection.inject(cluster);
        awaitNumber("SELECT count(*) FROM outbox_events WHERE length(payload::text) > 500000", 5);
        injection.heal(cluster);
        assertThat(cluster.database()
                        .number("SELECT count(DISTINCT aggregate_id) FROM outbox_events"
                                + " WHERE length(payload::text) > 500000"))
                .isEqualTo(1);
    }

    @Test
    void theSequenceIsResetAndRebased() throws Exception {
        String behind = "SELECT (SELECT max(seq) FROM outbox_events) - last_value FROM outbox_events_seq_seq";
        for (int seed = 1; seed <= 4; seed++) { // covers both variants
            cluster.writers().get(0).stop();
            Injection injection = new SequenceReset().draw(new Random(seed), SHAPE);
            injection.inject(cluster);
            assertThat(cluster.database().number(behind)).isPositive();
            cluster.writers().get(0).start();
            injection.heal(cluster);
            assertThat(cluster.database().number(behind)).isLessThanOrEqualTo(0);
        }
    }

    @Test
    void aFrozenOperatorHoldsLocksUntilTheFaultEnds() throws Exception {
        String free = "SELECT count(*) FROM (SELECT 1 FROM outbox_cursors FOR NO KEY UPDATE SKIP LOCKED) free";
        for (int seed = 1; seed <= 4; seed++) { // covers SIGCONT and SIGKILL
            Injection injection = new OperatorFreeze().draw(new Random(seed), SHAPE);
            injection.inject(cluster);
            assertThat(cluster.database()
                            .number("SELECT count(*) FROM pg_stat_activity"
                                    + " WHERE state = 'idle in transaction' AND query LIKE '%outbox_held%'"))
                    .as(injection.parameters())
                    .isPositive();
            injection.heal(cluster);
            awaitNumber(free, 8);
        }
    }

    @Test
    void aFaultIsOmittedOnOtherEngines() {
        assertThat(new SequenceReset().concerns(Engine.QUEUE)).isFalse();
        assertThat(new SequenceReset().concerns(Engine.JOURNAL)).isTrue();
    }

    private static long secondsAhead() throws SQLException {
        return cluster.database().number("SELECT extract(epoch FROM clock_timestamp())::bigint")
                - System.currentTimeMillis() / 1_000;
    }

    private static void awaitNumber(String sql, long atLeast) {
        await().atMost(PATIENCE).until(() -> cluster.database().number(sql) >= atLeast);
    }
}
