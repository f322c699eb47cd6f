package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.Random;
import java.util.Set;

/** The broker takes connections and does not answer. */
final class BrokerFreeze implements Fault {
    @Override
    public String name() {
        return "broker-freeze";
    }

    @Override
    public String description() {
        return "SIGSTOP of the broker, then SIGCONT";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.BROKER);
    }

    @Override
    public Span lasts() {
        return new Span(2, 10);
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
                world.broker().server().suspend();
            }

            @Override
            public void heal(World world) {
                world.broker().server().resume();
            }

            @Override
            public int windows() {
                return shape.relays();
            }
        };
    }
}
