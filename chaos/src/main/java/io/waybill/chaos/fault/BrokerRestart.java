package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.Random;
import java.util.Set;

/** The broker is stopped in order, as for maintenance. */
final class BrokerRestart implements Fault {
    @Override
    public String name() {
        return "broker-restart";
    }

    @Override
    public String description() {
        return "the broker is shut down in order and started again";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.BROKER);
    }

    @Override
    public Span lasts() {
        return new Span(1, 4);
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
                world.broker().server().stop();
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
