package io.waybill.acceptance.matrix;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.acceptance.Scenario;
import io.waybill.acceptance.matrix.MatrixResult.Count;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.EventState;
import io.waybill.faults.crash.Crash;
import io.waybill.faults.history.HistoryVerdict;
import io.waybill.faults.history.Workload;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.RelayProgram;
import io.waybill.relay.OnDeadLetter;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayBuilder;
import io.waybill.retry.RetryPolicy;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One store and one transport, active writers, and one fault after another. The caller breaks the broker. Each fault must have an
 * effect: the killed relay had a claimed batch at the broker, the zombie's write was rejected, the relay detected the outage.
 */
final class MatrixRun implements AutoCloseable {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final int WORKERS = 2;
    private static final RetryPolicy RETRY = new RetryPolicy(2, Duration.ofMillis(400), Duration.ofMillis(400));

    /** In the middle of a batch: the broker has acknowledged this many events, and the relay does not know of the last one yet. */
    private static final String FREEZE = "freeze:AFTER_ACK:20";

    /** One kill, one freeze, one restart, one outage and three undeliverable events. */
    private static final int FAULTS = 7;

    private final Scenario scenario;
    private final Workload writers;
    private final Transport transport;
    private final OutageCounter outages = new OutageCounter();
    private final Map<Count, Long> counts = new EnumMap<>(Count.class);
    private int outagesBefore;
    private long attemptsBefore;
    private @Nullable Relay heir;

    MatrixRun(Scenario scenario) {
        this.scenario = scenario;
        this.writers =
                scenario.workload().writers(3).pause(Duration.ofMillis(40)).start();
        this.transport = scenario.transport(SEND_TIMEOUT);
    }

    /** The zombie is frozen while the victim takes its lanes. The victim is killed, the heir takes the lanes, and the zombie continues. */
    void killAndFreezeRelays() {
        ChildProcess zombie = scenario.process("zombie", LEASE, FREEZE);
        zombie.awaitFrozen();
        assertThat(inFlight(zombie)).isPositive();
        ChildProcess victim = scenario.process("victim", LEASE, Crash.LATER);
        scenario.awaitOwner("victim", Scenario.LANES, PATIENCE);
        awaitCaughtUp(); // events that the zombie had in flight are settled, too
        victim.tell("crash " + FREEZE);
        victim.awaitFrozen();
        counts.put(Count.KILL, inFlight(victim));
        victim.kill();

        heir = scenario.start(relay("heir"));
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
    }

    /** Call it before the broker goes down. */
    void expectOutage() {
        outagesBefore = outages.began();
        attemptsBefore = attempts();
    }

    /** Waits until the relay knows that the broker is down, and until the oldest pending event has this age. */
    void awaitOutage(Count count, Duration age) {
        outages.awaitBegin(outagesBefore);
        await("events wait for " + age)
                .atMost(PATIENCE)
                .until(() -> scenario.status().oldestAge().compareTo(age) > 0);
        long waiting = scenario.status().pending();
        assertThat(waiting).as("backlog during the outage").isPositive();
        counts.put(count, waiting);
        // Fewer if events of an earlier fault were still being retried when the outage was expected.
        assertThat(attempts()).as("attempts during the outage").isLessThanOrEqualTo(attemptsBefore);
    }

    /** Waits until all events of the outage are published. */
    void awaitRecovery() {
        outages.awaitEnd();
        awaitCaughtUp();
        assertThat(attempts()).as("attempts after the outage").isEqualTo(attemptsBefore);
    }

    /** Ends with a relay that blocks a key behind a dead letter. */
    void appendUndeliverableEvents() {
        poison();
        requireNonNull(heir).close();
        blockingPoison();
    }

    /** Asserts that no event was lost, published without a commit or published out of order, and that only events in flight were duplicated. */
    Map<Count, Long> conclude() {
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

    @Override
    public void close() {
        writers.close();
        scenario.close();
    }

    /** Returns the number of events in flight of the active or frozen relay. */
    private long inFlight(ChildProcess relay) {
        long inFlight = scenario.inFlight();
        assertThat(inFlight)
                .as("events in flight; output of the relay: %s", relay.output())
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

    /** Waits until all current events are settled. Events that writers append meanwhile are ignored. */
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
        UndeliverableEvents refused = UndeliverableEvents.refused(scenario, writers.history(), "refused");
        UndeliverableEvents oversized = UndeliverableEvents.oversized(scenario, writers.history(), "oversized");
        scenario.awaitMorePublished(50);
        oversized.awaitDead();
        oversized.awaitBehindPublished();
        refused.awaitError("refused-");
        assertThat(refused.stateBehind()).isNotEqualTo(EventState.PUBLISHED);
        refused.redirect(scenario.topic());
        refused.awaitBehindPublished();
        assertThat(attempts() - attempts)
                .as("attempts, which only the oversized events have")
                .isEqualTo(attemptsOf(oversized));
    }

    private long attemptsOf(UndeliverableEvents poison) {
        return scenario.view().event(poison.dead()).orElseThrow().retryCount();
    }

    /** The key is blocked until an operator acts. */
    private void blockingPoison() {
        scenario.start(relay("strict").onDeadLetter(OnDeadLetter.BLOCK));
        UndeliverableEvents poison = UndeliverableEvents.oversized(scenario, writers.history(), "blocked");
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
