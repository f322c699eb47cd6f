package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterSize;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/** A fault of a whole server: an action that breaks it and an action that heals it. */
record ServerFault(
        String name, String description, Target target, Span lasts, Consumer<Cluster> breaks, Consumer<Cluster> mends)
        implements Fault {
    @Override
    public Set<Target> targets() {
        return Set.of(target);
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        return new Injection() {
            @Override
            public String parameters() {
                return "";
            }

            @Override
            public void inject(Cluster cluster) {
                breaks.accept(cluster);
            }

            @Override
            public void heal(Cluster cluster) {
                mends.accept(cluster);
            }

            @Override
            public int interruptions() {
                return size.relays();
            }
        };
    }
}
