package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterProcess;
import io.waybill.chaos.cluster.ClusterSize;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** One process is killed with SIGKILL. A new one starts when the fault ends. */
record ProcessKill(
        String name,
        Target target,
        ToIntFunction<ClusterSize> count,
        Function<Cluster, List<ClusterProcess>> processes,
        int interruptions)
        implements Fault {

    @Override
    public String description() {
        return "one " + name.substring(0, name.lastIndexOf('-')).replace('-', ' ')
                + " is killed with SIGKILL and replaced";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(target);
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        int index = random.nextInt(count.applyAsInt(size));
        return new Injection() {
            @Override
            public String parameters() {
                return name.replace("-kill", "-" + (index + 1));
            }

            @Override
            public void inject(Cluster cluster) {
                processes.apply(cluster).get(index).kill();
            }

            @Override
            public void heal(Cluster cluster) {
                processes.apply(cluster).get(index).start();
            }

            @Override
            public int interruptions() {
                return interruptions;
            }
        };
    }
}
