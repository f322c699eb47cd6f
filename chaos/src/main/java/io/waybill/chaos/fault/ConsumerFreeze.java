package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterSize;
import java.util.Random;
import java.util.Set;

/** A consumer is frozen until its group has reassigned its partitions, then continues. */
final class ConsumerFreeze implements Fault {
    @Override
    public String name() {
        return "consumer-freeze";
    }

    @Override
    public String description() {
        return "a consumer is frozen with SIGSTOP, often for longer than its session, then continued";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.CONSUMERS);
    }

    @Override
    public Span lasts() {
        return new Span(4, 12);
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        int consumer = random.nextInt(size.consumers());
        return new Injection() {
            @Override
            public String parameters() {
                return "consumer-" + (consumer + 1);
            }

            @Override
            public void inject(Cluster cluster) {
                cluster.consumers().get(consumer).suspend();
            }

            @Override
            public void heal(Cluster cluster) {
                cluster.consumers().get(consumer).resume();
            }

            @Override
            public int interruptions() {
                return 0;
            }
        };
    }
}
