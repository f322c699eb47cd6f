package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterProcess;
import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.processes.ChildProcess;
import java.util.Random;
import java.util.Set;

/** Restarts the relays one after another, as a deployment does. */
final class RollingRestart implements Fault {
    @Override
    public String name() {
        return "rolling-restart";
    }

    @Override
    public String description() {
        return "all relays are restarted with SIGTERM, one after another";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.RELAYS);
    }

    @Override
    public Span lasts() {
        return new Span(0.1, 0.5);
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        return new Injection() {
            @Override
            public String parameters() {
                return "";
            }

            @Override
            public void inject(Cluster cluster) throws InterruptedException {
                for (ClusterProcess relay : cluster.relays()) {
                    relay.stop();
                    relay.start();
                    relay.process().ifPresent(ChildProcess::awaitStarted);
                }
            }

            @Override
            public void heal(Cluster cluster) {
                cluster.relays().forEach(ClusterProcess::start);
            }

            @Override
            public int interruptions() {
                return 0;
            }
        };
    }
}
