package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterSize;
import java.util.Random;
import java.util.Set;

/** A network fault between one relay and the database. Other relays are not affected, so they can take its lanes. */
record OneDatabaseLinkFault(NetworkFault kind) implements Fault {
    @Override
    public String name() {
        return "database-link-" + kind.label();
    }

    @Override
    public String description() {
        return "network between one relay and the database: " + kind.description();
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.DATABASE_LINKS);
    }

    @Override
    public Span lasts() {
        return new Span(2, 8);
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        int relay = random.nextInt(size.relays());
        NetworkFault.Drawn drawn = kind.draw(random);
        return new Injection() {
            @Override
            public String parameters() {
                return ("relay-" + (relay + 1) + " " + drawn.parameters()).strip();
            }

            @Override
            public void inject(Cluster cluster) {
                drawn.begin().accept(cluster.relays().get(relay).databaseLink());
            }

            @Override
            public void heal(Cluster cluster) {
                cluster.relays().get(relay).databaseLink().heal();
            }

            @Override
            public int interruptions() {
                return 1;
            }
        };
    }
}
