package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterProcess;
import io.waybill.chaos.cluster.ClusterSize;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Relays are restarted often, so that lanes change owners all the time. */
final class RelayChurn implements Fault {
    @Override
    public String name() {
        return "relay-churn";
    }

    @Override
    public String description() {
        return "every two seconds, the next relay is restarted with SIGTERM";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.RELAYS);
    }

    @Override
    public Span lasts() {
        return new Span(6, 10);
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        int first = random.nextInt(size.relays());
        return new Injection() {
            private @Nullable RepeatedAction churn;

            @Override
            public String parameters() {
                return "every two seconds, from relay-" + (first + 1);
            }

            @Override
            public void inject(Cluster cluster) {
                churn = RepeatedAction.every(2_000, turn -> {
                    ClusterProcess process = cluster.relays().get((first + turn) % size.relays());
                    process.stop();
                    process.start();
                });
            }

            @Override
            public void heal(Cluster cluster) {
                if (churn != null) {
                    churn.close();
                }
                cluster.relays().forEach(ClusterProcess::start);
            }

            @Override
            public int interruptions() {
                return 0;
            }
        };
    }
}
