package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterProcess;
import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.faults.crash.CrashPoint;
import io.waybill.processes.ChildProcess;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/** A relay ends at a crash point, as if by SIGKILL. */
final class RelayHalt implements Fault {
    /** A relay deletes old events at its start and then rarely. No run is long enough to reach this point again. */
    private static final List<CrashPoint> POINTS = Stream.of(CrashPoint.values())
            .filter(point -> point != CrashPoint.IN_CLEAN_UP)
            .toList();

    @Override
    public String name() {
        return "relay-halt";
    }

    @Override
    public String description() {
        return "a relay ends at a crash point: before or after a claim, send, acknowledgement or settlement, or in a heartbeat or handover";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.RELAYS);
    }

    @Override
    public Span lasts() {
        return new Span(2, 5);
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        int relay = random.nextInt(size.relays());
        CrashPoint point = POINTS.get(random.nextInt(POINTS.size()));
        int hit = 1 + random.nextInt(point == CrashPoint.AFTER_SEND || point == CrashPoint.AFTER_ACK ? 60 : 4);
        return new Injection() {
            @Override
            public String parameters() {
                return "relay-" + (relay + 1) + " at " + point + ":" + hit;
            }

            @Override
            public void inject(Cluster cluster) {
                ClusterProcess process = cluster.relays().get(relay);
                process.allowExit();
                process.tell("crash " + point + ":" + hit);
                if (point == CrashPoint.IN_HAND_OVER) {
                    process.process().ifPresent(ChildProcess::terminate); // the handover happens only at a shutdown
                }
            }

            @Override
            public void heal(Cluster cluster) {
                ClusterProcess process = cluster.relays().get(relay);
                process.kill(); // it did not reach the crash point
                process.start();
            }

            @Override
            public int interruptions() {
                return 1;
            }
        };
    }
}
