package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.Random;
import java.util.Set;

/** PostgreSQL dies and comes back with what was durable. */
final class DatabaseKill implements Fault {
    @Override
    public String name() {
        return "database-kill";
    }

    @Override
    public String description() {
        return "kill -9 of PostgreSQL with all its processes, and a restart on the same data";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.DATABASE);
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
                world.database().server().kill();
            }

            @Override
            public void heal(World world) {
                world.database().server().restart();
            }

            @Override
            public int windows() {
                return shape.relays();
            }
        };
    }
}
