package io.waybill.faults.simulation;

import io.waybill.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The environment that all relays of a run share: the database, latencies and lost answers. */
final class Environment {
    static final Duration LEASE = Duration.ofSeconds(3);
    static final RetryPolicy RETRY = new RetryPolicy(3, Duration.ofMillis(300), Duration.ofSeconds(1));

    final Scheduler scheduler;
    final RunParameters parameters;
    final Bug bug;
    final ModelStore store;
    final InvariantChecker checker;
    private boolean healed;
    private int epoch;
    private @Nullable RelayProcess whoseClock;

    Environment(Scheduler scheduler, RunParameters parameters, Bug bug) {
        this.scheduler = scheduler;
        this.parameters = parameters;
        this.bug = bug;
        this.checker = new InvariantChecker(scheduler, RETRY);
        this.store = new ModelStore(parameters.lanes(), this::databaseNanos, bug);
    }

    private long databaseNanos() {
        return whoseClock == null ? scheduler.now() : scheduler.now() + whoseClock.clockIsAhead();
    }

    void useClockOf(@Nullable RelayProcess process) {
        whoseClock = bug == Bug.LEASE_ON_LOCAL_CLOCK ? process : null;
    }

    boolean healed() {
        return healed;
    }

    void heal() {
        healed = true;
    }

    /** Returns the latency of one message on the network. */
    long latency() {
        double luck = scheduler.random.nextDouble();
        long most = 2 * Scheduler.MILLISECOND;
        if (parameters.slowness() && !healed) {
            most = luck < 0.02
                    ? LEASE.toNanos() * 3 / 2
                    : luck < 0.06 ? Scheduler.SECOND : luck < 0.2 ? 50 * Scheduler.MILLISECOND : most;
        }
        return scheduler.between(50_000, most);
    }

    boolean answerIsLost() {
        return parameters.lostAnswers() && !healed && scheduler.chance(0.04);
    }

    int databaseEpoch() {
        return epoch;
    }

    /** Undoes commits that were not durable and breaks all connections. */
    void crashDatabase() {
        epoch++;
        List<Row> undone = store.crash();
        scheduler.note(() -> "the database crashes and loses " + undone);
        checker.undone(undone);
    }
}
