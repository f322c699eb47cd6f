package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.Random;
import java.util.Set;

/** A page of a relay is bounded by the number of its events; these are as big as a broker takes. */
final class BigEvents implements Fault {
    private static final int SHORTEST = 500_000;
    private static final int LONGEST = 900_000;

    @Override
    public String name() {
        return "big-events";
    }

    @Override
    public String description() {
        return "a writer writes a burst of events of 0.5 to 0.9 MB, all of one key";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.WRITERS);
    }

    @Override
    public Span lasts() {
        return new Span(4, 8);
    }

    @Override
    public Injection draw(Random random, Shape shape) {
        int writer = random.nextInt(shape.writers());
        int events = 30 + random.nextInt(61);
        return new Injection() {
            @Override
            public String parameters() {
                return "writer-" + (writer + 1) + " " + events + " events";
            }

            @Override
            public void inject(World world) {
                world.writers().get(writer).tell("burst " + events + " " + SHORTEST + " " + LONGEST);
            }

            @Override
            public void heal(World world) {
                world.writers().get(writer).tell("burst 0 0 0");
            }

            @Override
            public int windows() {
                return 0;
            }
        };
    }
}
