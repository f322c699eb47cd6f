package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.time.Duration;
import java.util.Random;
import java.util.Set;

/** The clock of a relay jumps; the time that decides is the database's. */
final class ClockSkew implements Fault {
    @Override
    public String name() {
        return "clock-skew";
    }

    @Override
    public String description() {
        return "the clock of a relay jumps by minutes, forwards or backwards, and back when the fault ends";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.RELAYS);
    }

    @Override
    public Span lasts() {
        return new Span(2, 6);
    }

    @Override
    public Injection draw(Random random, Shape shape) {
        int relay = random.nextInt(shape.relays());
        Duration jump = Duration.ofMinutes((1L + random.nextInt(30)) * (random.nextBoolean() ? 1 : -1));
        return new Injection() {
            @Override
            public String parameters() {
                return "relay-" + (relay + 1) + " by " + jump;
            }

            @Override
            public void inject(World world) {
                world.relays().get(relay).tell("clock " + jump);
            }

            @Override
            public void heal(World world) {
                world.relays().get(relay).tell("clock " + jump.negated());
            }

            @Override
            public int windows() {
                return 2;
            }
        };
    }
}
