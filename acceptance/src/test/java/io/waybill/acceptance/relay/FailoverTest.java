package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.acceptance.Scenario;
import io.waybill.acceptance.ScenarioServers;
import io.waybill.embedded.LocalPostgres;
import io.waybill.faults.database.PostgresPair;
import io.waybill.faults.database.Standby;
import io.waybill.faults.history.HistoryVerdict;
import io.waybill.faults.history.Workload;
import io.waybill.jdbc.Engine;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.PublishOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The primary is killed under load, and its standby takes over. */
@ParameterizedClass
@EnumSource(Engine.class)
class FailoverTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int BATCH_SIZE = 50;
    private static final int FAILOVERS = 2;

    private final Engine engine;

    FailoverTest(Engine engine) {
        this.engine = engine;
    }

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets the field
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static PostgresPair pair;

    @BeforeAll
    static void start() {
        pair = PostgresPair.start(folder);
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    @Test
    void aSynchronousStandbyHasAllCommits() {
        try (Scenario scenario = new Scenario("failover, synchronous", engine, ScenarioServers.on(pair));
                Workload writers = scenario.workload().start()) {
            startTwoRelays(scenario);
            for (int i = 0; i < FAILOVERS; i++) {
                pair.addStandby(true);
                Scenario.awaitMore(writers, 100);
                scenario.awaitMorePublished(200);
                pair.failOver();
            }
            HistoryVerdict verdict = drainAndConclude(scenario, writers);
            assertThat(verdict.unkept()).isEmpty();
        }
    }

    /** The database loses commits, some of which are published already. All remaining events are delivered in order. */
    @Test
    void allCommitsOfAnAsynchronousStandbyAreDeliveredAlthoughSequenceNumbersRepeat() {
        try (Scenario scenario = new Scenario("failover, asynchronous", engine, ScenarioServers.on(pair));
                Workload writers = scenario.workload().start()) {
            startTwoRelays(scenario);
            for (int i = 0; i < FAILOVERS; i++) {
                Standby standby = pair.addStandby(false);
                Scenario.awaitMore(writers, 100);
                scenario.awaitMorePublished(200);
                standby.holdBack();
                Scenario.awaitMore(writers, 100);
                scenario.awaitMorePublished(100);
                LocalPostgres former = pair.failOver();
                former.restart(); // without clients, to read the commits that it had
                scenario.formerly(former.jdbcUrl(ScenarioServers.databaseName(scenario.jdbcUrl())));
                former.stop();
            }
            HistoryVerdict verdict = drainAndConclude(scenario, writers);
            assertThat(verdict.unkept()).as("commits lost by the database").isNotEmpty();
            assertThat(verdict.revoked()).as("lost commits that were published").isNotEmpty();
        }
    }

    /**
     * The relay holds claims of the former primary, and has published them. The new primary gives the same sequence numbers
     * to other events.
     */
    @Test
    void aSettlementFromBeforeTheFailoverDoesNotAffectLaterEvents() {
        try (Scenario scenario = new Scenario("failover, numbers given out twice", engine, ScenarioServers.on(pair))) {
            SingleLane lane = SingleLane.of(scenario);
            pair.addStandby(false).holdBack();
            lane.append("old", 100);
            List<ClaimedEvent> lost = lane.claim();
            assertThat(lost).hasSize(100);
            pair.failOver();
            lane.append("new", 100);
            lane.settleLate(SingleLane.published(lost));
            assertThat(lane.drain()).containsExactlyElementsOf(SingleLane.names("new", 100));
        }
    }

    /** The rest of the first claim is claimed again, but only the first claim was replicated to the standby. */
    @Test
    void aSettlementOfALostClaimDoesNotAffectTheClaimBeforeIt() {
        try (Scenario scenario = new Scenario("failover, claim lost", engine, ScenarioServers.on(pair))) {
            SingleLane lane = SingleLane.of(scenario);
            Standby standby = pair.addStandby(false);
            lane.append("e", 3);
            List<ClaimedEvent> claims = lane.claim();
            standby.awaitReplayed();
            standby.holdBack();
            List<ClaimedEvent> rest = lane.settle(List.of(
                    new PublishOutcome.Retry(claims.get(0), Duration.ofHours(1), "refused by the test", true),
                    new PublishOutcome.Published(claims.get(1)),
                    new PublishOutcome.Released(claims.get(2))));
            assertThat(SingleLane.names(rest)).containsExactly("e3");
            pair.failOver();
            lane.settleLate(SingleLane.published(rest));
            assertThat(lane.drain()).contains("e1");
        }
    }

    private static void startTwoRelays(Scenario scenario) {
        scenario.start(scenario.relay("relay-1", LEASE).batchSize(BATCH_SIZE));
        scenario.start(scenario.relay("relay-2", LEASE).batchSize(BATCH_SIZE));
    }

    private static HistoryVerdict drainAndConclude(Scenario scenario, Workload writers) {
        Scenario.awaitMore(writers, 100);
        writers.stop();
        scenario.awaitDrained();
        return scenario.conclude(writers.history(), FAILOVERS);
    }
}
