package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterSize;
import java.util.Random;
import java.util.Set;

/** A burst of events that are almost as large as the broker allows, so that a claim of many events needs much memory. */
final class BigEvents implements Fault {
    private static final int SHORTEST = 500_000;
    private static final int LONGEST = 900_000;

    @Override
    public String name() {
        return "big-events";
    }

    @Override
    public String description() {
        return "a writer appends a burst of events of 0.5 to 0.9 MB, all of one key";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.WRITERS);
    }

    @Override
    public Span lasts() {
        return new Span(4, 8);
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        int writer = random.nextInt(size.writers());
        int events = 30 + random.nextInt(61);
        return new Injection() {
            @Override
            public String parameters() {
                return "writer-" + (writer + 1) + " " + events + " events";
            }

            @Override
            public void inject(Cluster cluster) {
                cluster.writers().get(writer).tell("burst " + events + " " + SHORTEST + " " + LONGEST);
            }

            @Override
            public void heal(Cluster cluster) {
                cluster.writers().get(writer).tell("burst 0 0 0");
            }

            @Override
            public int interruptions() {
                return 0;
            }
        };
    }
}
