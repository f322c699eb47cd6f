package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import io.waybill.testkit.faults.TcpProxy;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/** Trouble on the way to the broker, for relays and consumers alike. */
record BrokerLink(LinkTrouble trouble) implements Fault {
    @Override
    public String name() {
        return "broker-link-" + trouble.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String description() {
        return "between everybody and the broker: " + trouble.what();
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.BROKER_LINK, Target.BROKER);
    }

    @Override
    public Span lasts() {
        return new Span(2, 8);
    }

    @Override
    public Injection draw(Random random, Shape shape) {
        LinkTrouble.Drawn drawn = trouble.draw(random);
        return new Injection() {
            @Override
            public String parameters() {
                return drawn.parameters();
            }

            @Override
            public void inject(World world) {
                world.broker().links().forEach(drawn.begin());
            }

            @Override
            public void heal(World world) {
                world.broker().links().forEach(TcpProxy::heal);
            }

            @Override
            public int windows() {
                return shape.relays();
            }
        };
    }
}
