package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.testkit.network.TcpProxy;
import java.util.Random;
import java.util.Set;

/** A network fault between all relays and consumers and the broker. */
record AllBrokerLinksFault(NetworkFault kind) implements Fault {
    @Override
    public String name() {
        return "broker-link-" + kind.label();
    }

    @Override
    public String description() {
        return "network to the broker: " + kind.description();
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.BROKER_LINKS, Target.BROKER);
    }

    @Override
    public Span lasts() {
        return new Span(2, 8);
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        NetworkFault.Drawn drawn = kind.draw(random);
        return new Injection() {
            @Override
            public String parameters() {
                return drawn.parameters();
            }

            @Override
            public void inject(Cluster cluster) {
                cluster.broker().links().forEach(drawn.begin());
            }

            @Override
            public void heal(Cluster cluster) {
                cluster.broker().links().forEach(TcpProxy::heal);
            }

            @Override
            public int interruptions() {
                return size.relays();
            }
        };
    }
}
