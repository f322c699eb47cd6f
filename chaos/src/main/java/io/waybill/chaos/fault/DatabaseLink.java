package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/** Trouble between one relay and the database; the others have none, so they take its lanes when it falls silent. */
record DatabaseLink(LinkTrouble trouble) implements Fault {
    @Override
    public String name() {
        return "database-link-" + trouble.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String description() {
        return "between a relay and the database: " + trouble.what();
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.DATABASE_LINKS);
    }

    @Override
    public Span lasts() {
        return new Span(2, 8);
    }

    @Override
    public Injection draw(Random random, Shape shape) {
        int relay = random.nextInt(shape.relays());
        LinkTrouble.Drawn drawn = trouble.draw(random);
        return new Injection() {
            @Override
            public String parameters() {
                return ("relay-" + (relay + 1) + " " + drawn.parameters()).strip();
            }

            @Override
            public void inject(World world) {
                drawn.begin().accept(world.relays().get(relay).link());
            }

            @Override
            public void heal(World world) {
                world.relays().get(relay).link().heal();
            }

            @Override
            public int windows() {
                return 1;
            }
        };
    }
}
