package io.waybill.chaos.fault;

import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.world.Member;
import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.Random;
import java.util.Set;

/** What a deployment does. */
final class RollingRestart implements Fault {
    @Override
    public String name() {
        return "rolling-restart";
    }

    @Override
    public String description() {
        return "every relay in turn is stopped with SIGTERM and started again";
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
    public Injection draw(Random random, Shape shape) {
        return new Injection() {
            @Override
            public String parameters() {
                return "";
            }

            @Override
            public void inject(World world) throws InterruptedException {
                for (Member relay : world.relays()) {
                    relay.stop();
                    relay.start();
                    relay.process().ifPresent(ChildProcess::awaitStarted);
                }
            }

            @Override
            public void heal(World world) {
                world.relays().forEach(Member::start);
            }

            @Override
            public int windows() {
                return 0;
            }
        };
    }
}
