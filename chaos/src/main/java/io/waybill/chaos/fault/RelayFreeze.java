package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.Random;
import java.util.Set;

/** A relay that others take for dead wakes up and goes on where it was. */
final class RelayFreeze implements Fault {
    private static final double LEASE = World.LEASE.toMillis() / 1_000.0;

    @Override
    public String name() {
        return "relay-freeze";
    }

    @Override
    public String description() {
        return "SIGSTOP of a relay for longer than its lease, then SIGCONT: a zombie";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.RELAYS);
    }

    @Override
    public Span lasts() {
        return new Span(LEASE + 1, LEASE + 4);
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
                world.relays().get(relay).suspend();
            }

            @Override
            public void heal(World world) {
                world.relays().get(relay).resume();
            }

            @Override
            public int windows() {
                return 1;
            }
        };
    }
}
