package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.Random;
import java.util.Set;

/** The broker dies and comes back with what it had written. */
final class BrokerKill implements Fault {
    @Override
    public String name() {
        return "broker-kill";
    }

    @Override
    public String description() {
        return "kill -9 of the broker, and a restart on the same data";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.BROKER);
    }

    @Override
    public Span lasts() {
        return new Span(1, 8);
    }

    @Override
    public Injection draw(Random random, Shape shape) {
        return new Injection() {
            @Override
            public String parameters() {
                return "";
            }

            @Override
            public void inject(World world) {
                world.broker().server().kill();
            }

            @Override
            public void heal(World world) {
                world.broker().server().restart();
            }

            @Override
            public int windows() {
                return shape.relays();
            }
        };
    }
}
