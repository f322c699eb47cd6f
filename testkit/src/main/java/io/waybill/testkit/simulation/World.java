package io.waybill.testkit.simulation;

import io.waybill.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What all relays of a run share: the database, the broker, and the weather between them. */
final class World {
    static final Duration LEASE = Duration.ofSeconds(3);
    static final RetryPolicy RETRY = new RetryPolicy(3, Duration.ofMillis(300), Duration.ofSeconds(1));

    final Conductor conductor;
    final Plan plan;
    final Bug bug;
    final ModelStore store;
    final Judge judge;
    private boolean healed;
    private int epoch;
    private @Nullable Life whoseClock;

    World(Conductor conductor, Plan plan, Bug bug) {
        this.conductor = conductor;
        this.plan = plan;
        this.bug = bug;
        this.judge = new Judge(conductor, RETRY);
        this.store = new ModelStore(plan.lanes(), this::databaseNanos, bug);
    }

    private long databaseNanos() {
        return whoseClock == null ? conductor.now() : conductor.now() + whoseClock.clockIsAhead();
    }

    void useClockOf(@Nullable Life life) {
        whoseClock = bug == Bug.LEASE_ON_LOCAL_CLOCK ? life : null;
    }

    boolean healed() {
        return healed;
    }

    void heal() {
        healed = true;
    }

    /** Of one way over the network. */
    long latency() {
        double luck = conductor.random.nextDouble();
        long most = 2 * Conductor.MILLISECOND;
        if (plan.slowness() && !healed) {
            most = luck < 0.02
                    ? LEASE.toNanos() * 3 / 2
                    : luck < 0.06 ? Conductor.SECOND : luck < 0.2 ? 50 * Conductor.MILLISECOND : most;
        }
        return conductor.between(50_000, most);
    }

    boolean answerIsLost() {
        return plan.lostAnswers() && !healed && conductor.chance(0.04);
    }

    int databaseEpoch() {
        return epoch;
    }

    /** Undoes what was not durable yet and breaks every connection. */
    void crashDatabase() {
        epoch++;
        List<Row> undone = store.crash();
        conductor.note(() -> "the database crashes and forgets " + undone);
        judge.undone(undone);
    }
}
