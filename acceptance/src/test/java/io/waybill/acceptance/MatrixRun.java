package io.waybill.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.acceptance.MatrixResult.Count;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.EventState;
import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.process.RelayProgram;
import io.waybill.relay.OnDeadLetter;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayBuilder;
import io.waybill.retry.RetryPolicy;
import io.waybill.testkit.crash.Crash;
import io.waybill.testkit.history.HistoryVerdict;
import io.waybill.testkit.history.Workload;
import io.waybill.testkit.transport.BreakableBroker;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * One store and one transport, writers at work, and one fault after another. Each fault must be seen to have happened: the killed
 * relay had a claimed batch at the broker, the zombie's write was refused, the relay knew that the broker was away.
 */
final class MatrixRun {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration AWAY = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int WORKERS = 2;
    private static final RetryPolicy RETRY = new RetryPolicy(2, Duration.ofMillis(400), Duration.ofMillis(400));

    /** In the middle of a batch: the broker has acknowledged this many events, and the relay does not know of the last one yet. */
    private static final String FREEZE = "freeze:AFTER_ACK:20";

    /** Killed, frozen, restarted, cut off, three times poisoned. */
    private static final int FAULTS = 7;

    private final Scenario scenario;
    private final Workload writers;
    private final BreakableBroker broker;
    private final Transport transport;
    private final OutageCount outages = new OutageCount();
    private final Map<Count, Long> counts = new EnumMap<>(Count.class);

    MatrixRun(Scenario scenario, Workload writers, BreakableBroker broker) {
        this.scenario = scenario;
        this.writers = writers;
        this.broker = broker;
        this.transport = scenario.transport(SEND_TIMEOUT);
    }

    /** Nothing is lost, invented or out of order, and only what was in flight came twice; else it fails. */
    Map<Count, Long> carryOut() {
        Relay heir = killAndZombie();
        restart();
        outage();
        poison();
        heir.close();
        blockingPoison();
        writers.stop();
        scenario.awaitDrained();
        HistoryVerdict verdict = scenario.conclude(writers.history(), 1);
        // One batch of the killed relay, one of the zombie, and those of all workers of the third relay: when the
        // broker was
        // killed, when it was cut off, and when it closed the connection on a message that it found too large.
        int inFlight = RelayProgram.BATCH_SIZE * (2 + 3 * WORKERS);
        assertThat(verdict.duplicates()).isBetween(0, inFlight);
        assertThat(verdict.deadLetters()).isEqualTo(2);
        assertThat(verdict.unkept()).isEmpty();
        counts.put(Count.EVENTS, (long) verdict.committed());
        counts.put(Count.DUPLICATES, (long) verdict.duplicates());
        counts.put(Count.FAULTS, (long) FAULTS);
        return counts;
    }

    /** The zombie sleeps while its lanes go to the victim, which is killed, and from there to the heir; then it wakes up. */
    private Relay killAndZombie() {
        ChildProcess zombie = scenario.process("zombie", LEASE, FREEZE);
        zombie.awaitFrozen();
        assertThat(inFlight(zombie)).isPositive();
        ChildProcess victim = scenario.process("victim", LEASE, Crash.LATER);
        scenario.awaitOwner("victim", Scenario.LANES, PATIENCE);
        awaitCaughtUp(); // what the zombie had in flight is settled, too
        victim.tell("crash " + FREEZE);
        victim.awaitFrozen();
        counts.put(Count.KILL, inFlight(victim));
        victim.kill();

        Relay heir = scenario.start(relay("heir"));
        scenario.awaitOwner("heir", Scenario.LANES, PATIENCE);
        scenario.awaitMorePublished(100);
        zombie.resume();
        zombie.awaitOutput("fence rejected");
        zombie.terminate();
        zombie.awaitExit();
        counts.put(
                Count.ZOMBIE,
                zombie.output().stream()
                        .filter(line -> line.startsWith("fence rejected"))
                        .count());
        return heir;
    }

    /** Of the one relay that works, or did until it froze. */
    private long inFlight(ChildProcess relay) {
        long inFlight = scenario.inFlight();
        assertThat(inFlight)
                .as("events in flight; the relay said %s", relay.output())
                .isBetween(1L, (long) RelayProgram.BATCH_SIZE);
        return inFlight;
    }

    private RelayBuilder relay(String name) {
        return Scenario.relay(name, Duration.ofSeconds(10), scenario.store(), transport)
                .batchSize(RelayProgram.BATCH_SIZE)
                .workers(WORKERS)
                .retry(RETRY)
                .listener(outages);
    }

    private void restart() {
        int before = outages.began();
        long attempts = attempts();
        broker.kill();
        outages.awaitBegin(before);
        counts.put(Count.RESTART, waiting());
        comeBack(attempts);
    }

    private void outage() {
        int before = outages.began();
        long attempts = attempts();
        broker.cutOff();
        outages.awaitBegin(before);
        await("events wait for " + AWAY)
                .atMost(PATIENCE)
                .until(() -> scenario.status().oldestAge().compareTo(AWAY) > 0);
        counts.put(Count.OUTAGE, waiting());
        comeBack(attempts);
    }

    private long waiting() {
        long waiting = scenario.status().pending();
        assertThat(waiting).as("events that wait for the broker").isPositive();
        return waiting;
    }

    private void comeBack(long attempts) {
        assertThat(attempts()).as("attempts, while the broker is away").isEqualTo(attempts);
        broker.heal();
        outages.awaitEnd();
        awaitCaughtUp();
        assertThat(attempts()).as("attempts, after the broker came back").isEqualTo(attempts);
    }

    /** All that was there when this was called is settled; what the writers add meanwhile is not waited for. */
    private void awaitCaughtUp() {
        long since = System.nanoTime();
        await("the backlog is gone").atMost(PATIENCE).until(() -> {
            Duration elapsed = Duration.ofNanos(System.nanoTime() - since);
            return scenario.status().oldestAge().compareTo(elapsed) < 0;
        });
    }

    private long attempts() {
        return scenario.number("SELECT coalesce(sum(retry_count), 0) FROM outbox_states");
    }

    private void poison() {
        long attempts = attempts();
        Poison refused = Poison.refused(scenario, writers.history(), "refused");
        Poison oversized = Poison.oversized(scenario, writers.history(), "oversized");
        scenario.awaitMorePublished(50);
        oversized.awaitDead();
        oversized.awaitBehindPublished();
        refused.awaitError("refused-");
        assertThat(refused.stateBehind()).isNotEqualTo(EventState.PUBLISHED);
        refused.redirect(scenario.topic());
        refused.awaitBehindPublished();
        assertThat(attempts() - attempts)
                .as("attempts: none of them of other events, none for a topic that is not there")
                .isEqualTo(attemptsOf(oversized));
    }

    private long attemptsOf(Poison poison) {
        return scenario.view().event(poison.dead()).orElseThrow().retryCount();
    }

    /** The key waits for a person. */
    private void blockingPoison() {
        scenario.start(relay("strict").onDeadLetter(OnDeadLetter.BLOCK));
        Poison poison = Poison.oversized(scenario, writers.history(), "blocked");
        poison.awaitDead();
        scenario.awaitMorePublished(50);
        assertThat(poison.stateBehind()).isNotEqualTo(EventState.PUBLISHED);
        assertThat(scenario.status().blockedKeys()).isEqualTo(1);
        assertThat(scenario.deadLetters().discard(List.of(poison.dead()), new Decision("test", "it is too large")))
                .hasSize(1);
        poison.awaitBehindPublished();
        counts.put(Count.POISON, 3L);
    }
}
