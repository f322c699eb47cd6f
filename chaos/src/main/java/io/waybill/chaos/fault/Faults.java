package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.List;
import java.util.Optional;

/** All faults there are. A new one is a class and a line here. */
public final class Faults {
    private static final List<Fault> ALL = List.of(
            new KillMember("relay-kill", Target.RELAYS, Shape::relays, World::relays, 1),
            new KillMember("writer-kill", Target.WRITERS, Shape::writers, World::writers, 0),
            new KillMember("consumer-kill", Target.CONSUMERS, Shape::consumers, World::consumers, 0),
            new DatabaseKill());

    private Faults() {}

    public static List<Fault> all() {
        return ALL;
    }

    public static Optional<Fault> named(String name) {
        return ALL.stream().filter(fault -> fault.name().equals(name)).findFirst();
    }
}
