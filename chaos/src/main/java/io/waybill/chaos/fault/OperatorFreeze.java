package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.processes.ChildProcess;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A command of an operator is frozen while it holds the locks of lanes. */
final class OperatorFreeze implements Fault {
    private static final double LEASE = Cluster.LEASE.toMillis() / 1_000.0;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Override
    public String name() {
        return "operator-freeze";
    }

    @Override
    public String description() {
        return "an operator's command that has locked lanes is frozen for longer than a lease, then continued or killed";
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
    public Injection draw(Random random, ClusterSize size) {
        boolean killed = random.nextBoolean();
        return new Injection() {
            private @Nullable ChildProcess operator;

            @Override
            public String parameters() {
                return killed ? "then SIGKILL" : "then SIGCONT";
            }

            @Override
            public void inject(Cluster cluster) throws Exception {
                operator = cluster.startOperator();
                operator.suspend();
            }

            @Override
            public void heal(Cluster cluster) throws InterruptedException {
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
            public int interruptions() {
                return size.relays();
            }
        };
    }
}
