package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/** The database or the broker as a whole: something is done to it, and undone. */
record ServerTrouble(
        String name, String description, Target target, Span lasts, Consumer<World> breaks, Consumer<World> mends)
        implements Fault {
    @Override
    public Set<Target> targets() {
        return Set.of(target);
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
                breaks.accept(world);
            }

            @Override
            public void heal(World world) {
                mends.accept(world);
            }

            @Override
            public int windows() {
                return shape.relays();
            }
        };
    }
}
