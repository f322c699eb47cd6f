package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterSize;
import java.util.Random;
import java.util.Set;

/** One relay loses its connection to the broker, but not to the database. Other relays are not affected. */
final class OneBrokerLinkCut implements Fault {
    @Override
    public String name() {
        return "broker-link-cut-one";
    }

    @Override
    public String description() {
        return "network between one relay and the broker: all connections are closed and new ones are refused";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.BROKER_LINKS, Target.BROKER);
    }

    @Override
    public Span lasts() {
        return new Span(4, 12);
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
                cluster.broker().relayLinks().get(relay).cut();
            }

            @Override
            public void heal(Cluster cluster) {
                cluster.broker().relayLinks().get(relay).heal();
            }

            @Override
            public int interruptions() {
                return 1;
            }
        };
    }
}
