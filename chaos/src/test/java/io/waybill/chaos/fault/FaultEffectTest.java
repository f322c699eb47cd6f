package io.waybill.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waybill.chaos.world.Member;
import io.waybill.chaos.world.Setup;
import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import io.waybill.jdbc.Engine;
import io.waybill.testkit.faults.TcpProxy;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A fault breaks what it says, and heals it. All tests share one world, in which two relays and a writer work. */
class FaultEffectTest {
    private static final Shape SHAPE = new Shape(2, 1, 1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static World world;
    private static boolean clockCanStep;

    @BeforeAll
    static void create(@TempDir Path folder) throws Exception {
        Setup setup = new Setup(Engine.JOURNAL, SHAPE, folder);
        clockCanStep = new ClockStep().possible(); // says so loudly when it cannot
        if (clockCanStep) {
            new ClockStep().prepare(setup);
        }
        world = World.create(setup);
        world.relays().forEach(Member::start);
        world.writers().forEach(Member::start);
        awaitNumber("SELECT count(*) FROM outbox_states WHERE state = 'PUBLISHED'", 20);
    }

    @AfterAll
    static void close() {
        if (world != null) {
            world.close();
        }
    }

    @Test
    void theLinkOfOneRelayIsCutAndThatOfTheOtherWorks() throws Exception {
        List<TcpProxy> links = world.broker().relayLinks();
        await().atMost(PATIENCE).until(() -> links.stream().allMatch(link -> link.connections() > 0));
        Injection injection = new OneBrokerLink().draw(new Random(1), SHAPE);
        injection.inject(world);
        assertThat(links.stream().filter(link -> link.connections() == 0)).hasSize(1);
        injection.heal(world);
        await().atMost(PATIENCE).until(() -> links.stream().allMatch(link -> link.connections() > 0));
    }

    @Test
    void theClockOfTheDatabaseStepsAndComesBack() throws Exception {
        assumeTrue(clockCanStep, "libfaketime is not installed");
        for (int seed = 1; seed <= 3; seed++) {
            Injection injection = new ClockStep().draw(new Random(seed), SHAPE);
            injection.inject(world);
            assertThat(Math.abs(secondsAhead())).as(injection.parameters()).isGreaterThan(200);
            injection.heal(world);
            assertThat(Math.abs(secondsAhead())).isLessThan(60);
        }
    }

    @Test
    void aBurstOfBigEventsIsWritten() throws Exception {
        Injection injection = new BigEvents().draw(new Random(1), SHAPE);
        injection.inject(world);
        awaitNumber("SELECT count(*) FROM outbox_events WHERE length(payload::text) > 500000", 5);
        injection.heal(world);
        assertThat(world.database()
                        .number("SELECT count(DISTINCT aggregate_id) FROM outbox_events"
                                + " WHERE length(payload::text) > 500000"))
                .isEqualTo(1);
    }

    @Test
    void theSequenceIsSetBackAndRebased() throws Exception {
        String behind = "SELECT (SELECT max(seq) FROM outbox_events) - last_value FROM outbox_events_seq_seq";
        for (int seed = 1; seed <= 4; seed++) { // both kinds
            world.writers().get(0).stop();
            Injection injection = new SequenceReset().draw(new Random(seed), SHAPE);
            injection.inject(world);
            assertThat(world.database().number(behind)).isPositive();
            world.writers().get(0).start();
            injection.heal(world);
            assertThat(world.database().number(behind)).isLessThanOrEqualTo(0);
        }
    }

    @Test
    void aFrozenOperatorHoldsLanesAndLetsThemGo() throws Exception {
        String free = "SELECT count(*) FROM (SELECT 1 FROM outbox_cursors FOR NO KEY UPDATE SKIP LOCKED) free";
        for (int seed = 1; seed <= 4; seed++) { // with SIGCONT and with SIGKILL
            Injection injection = new FrozenOperator().draw(new Random(seed), SHAPE);
            injection.inject(world);
            assertThat(world.database()
                            .number("SELECT count(*) FROM pg_stat_activity"
                                    + " WHERE state = 'idle in transaction' AND query LIKE '%outbox_held%'"))
                    .as(injection.parameters())
                    .isPositive();
            injection.heal(world);
            awaitNumber(free, 8);
        }
    }

    @Test
    void aFaultThatAnEngineDoesNotKnowIsLeftOut() {
        assertThat(new SequenceReset().concerns(Engine.QUEUE)).isFalse();
        assertThat(new SequenceReset().concerns(Engine.JOURNAL)).isTrue();
    }

    private static long secondsAhead() throws SQLException {
        return world.database().number("SELECT extract(epoch FROM clock_timestamp())::bigint")
                - System.currentTimeMillis() / 1_000;
    }

    private static void awaitNumber(String sql, long atLeast) {
        await().atMost(PATIENCE).until(() -> world.database().number(sql) >= atLeast);
    }
}
