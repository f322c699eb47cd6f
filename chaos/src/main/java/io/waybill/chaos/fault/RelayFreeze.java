package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterSize;
import java.util.Random;
import java.util.Set;

/** A relay is frozen until other relays have taken its lanes, then continues. */
final class RelayFreeze implements Fault {
    private static final double LEASE = Cluster.LEASE.toMillis() / 1_000.0;

    @Override
    public String name() {
        return "relay-freeze";
    }

    @Override
    public String description() {
        return "a relay is frozen with SIGSTOP for longer than its lease, then continued";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.RELAYS);
    }

    @Override
    public Span lasts() {
        return new Span(LEASE + 1, LEASE + 4);
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        int relay = random.nextInt(size.relays());
        return new Injection() {
            @Override
            public String parameters() {
                return "relay-" + (relay + 1);
            }

            @Override
            public void inject(Cluster cluster) {
                cluster.relays().get(relay).suspend();
            }

            @Override
            public void heal(Cluster cluster) {
                cluster.relays().get(relay).resume();
            }

            @Override
            public int interruptions() {
                return 1;
            }
        };
    }
}
