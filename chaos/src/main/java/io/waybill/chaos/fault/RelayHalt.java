package io.waybill.chaos.fault;

import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.world.Member;
import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import io.waybill.testkit.crash.CrashPoint;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/** A relay ends, as by SIGKILL, at one of the steps of its work. */
final class RelayHalt implements Fault {
    /** The janitor works at the start of a relay and then rarely; no run is long enough to meet it again. */
    private static final List<CrashPoint> POINTS = Stream.of(CrashPoint.values())
            .filter(point -> point != CrashPoint.IN_CLEAN_UP)
            .toList();

    @Override
    public String name() {
        return "relay-halt";
    }

    @Override
    public String description() {
        return "a relay ends at one of its crash points: before and after claim, send, acknowledgement, settle, in heartbeat and hand-over";
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
    public Injection draw(Random random, Shape shape) {
        int relay = random.nextInt(shape.relays());
        CrashPoint point = POINTS.get(random.nextInt(POINTS.size()));
        int hit = 1 + random.nextInt(point == CrashPoint.AFTER_SEND || point == CrashPoint.AFTER_ACK ? 60 : 4);
        return new Injection() {
            @Override
            public String parameters() {
                return "relay-" + (relay + 1) + " at " + point + ":" + hit;
            }

            @Override
            public void inject(World world) {
                Member member = world.relays().get(relay);
                member.letGo();
                member.tell("crash " + point + ":" + hit);
                if (point == CrashPoint.IN_HAND_OVER) {
                    member.process().ifPresent(ChildProcess::terminate); // nothing else makes it hand over
                }
            }

            @Override
            public void heal(World world) {
                Member member = world.relays().get(relay);
                member.kill(); // a point that it did not come by
                member.start();
            }

            @Override
            public int windows() {
                return 1;
            }
        };
    }
}
