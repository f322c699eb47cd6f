package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.Random;
import java.util.Set;

/** One relay loses the broker and keeps the database; the other relays have both. */
final class OneBrokerLink implements Fault {
    @Override
    public String name() {
        return "broker-link-cut-one";
    }

    @Override
    public String description() {
        return "between one relay and the broker: all connections are closed and new ones refused; other relays reach it";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.BROKER_LINK, Target.BROKER);
    }

    @Override
    public Span lasts() {
        return new Span(4, 12);
    }

    @Override
    public Injection draw(Random random, Shape shape) {
        int relay = random.nextInt(shape.relays());
        return new Injection() {
            @Override
            public String parameters() {
                return "relay-" + (relay + 1);
            }

            @Override
            public void inject(World world) {
                world.broker().relayLinks().get(relay).cut();
            }

            @Override
            public void heal(World world) {
                world.broker().relayLinks().get(relay).heal();
            }

            @Override
            public int windows() {
                return 1;
            }
        };
    }
}
