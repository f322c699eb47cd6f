package io.waybill.chaos.fault;

import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An operator's command that holds the locks of lanes stands still. */
final class FrozenOperator implements Fault {
    private static final double LEASE = World.LEASE.toMillis() / 1_000.0;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Override
    public String name() {
        return "operator-freeze";
    }

    @Override
    public String description() {
        return "SIGSTOP, for longer than a lease, of an operator whose transaction holds the locks of lanes; then SIGCONT or SIGKILL";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.DATABASE);
    }

    @Override
    public Span lasts() {
        return new Span(LEASE + 1, LEASE + 6);
    }

    @Override
    public Injection draw(Random random, Shape shape) {
        boolean killed = random.nextBoolean();
        return new Injection() {
            private @Nullable ChildProcess operator;

            @Override
            public String parameters() {
                return killed ? "then SIGKILL" : "then SIGCONT";
            }

            @Override
            public void inject(World world) throws Exception {
                operator = world.startOperator();
                operator.suspend();
            }

            @Override
            public void heal(World world) throws InterruptedException {
                if (operator == null) {
                    return;
                }
                if (!killed) {
                    operator.resume();
                    operator.tell("commit");
                    operator.endsWithin(PATIENCE);
                }
                operator.kill();
            }

            @Override
            public int windows() {
                return shape.relays();
            }
        };
    }
}
