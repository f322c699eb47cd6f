package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterSize;
import java.time.Duration;
import java.util.Random;
import java.util.Set;

/** The clock of a relay jumps. Leases follow the clock of the database, so this must have no effect. */
final class ClockSkew implements Fault {
    @Override
    public String name() {
        return "clock-skew";
    }

    @Override
    public String description() {
        return "the clock of a relay jumps forwards or backwards by minutes, and back at the end";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.RELAYS);
    }

    @Override
    public Span lasts() {
        return new Span(2, 6);
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        int relay = random.nextInt(size.relays());
        Duration jump = Duration.ofMinutes((1L + random.nextInt(30)) * (random.nextBoolean() ? 1 : -1));
        return new Injection() {
            @Override
            public String parameters() {
                return "relay-" + (relay + 1) + " by " + jump;
            }

            @Override
            public void inject(Cluster cluster) {
                cluster.relays().get(relay).tell("clock " + jump);
            }

            @Override
            public void heal(Cluster cluster) {
                cluster.relays().get(relay).tell("clock " + jump.negated());
            }

            @Override
            public int interruptions() {
                return 2;
            }
        };
    }
}
