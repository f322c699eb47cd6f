package io.waybill.chaos.fault;

import io.waybill.chaos.world.Setup;
import io.waybill.chaos.world.Shape;
import io.waybill.jdbc.Engine;
import java.util.Random;
import java.util.Set;

/** A kind of mishap. It has no state: what one instance of it will do is drawn ahead of time, as an {@link Injection}. */
public interface Fault {
    /** As on the command line: {@code relay-kill}. */
    String name();

    /** What it does, in one line. */
    String description();

    /** What it takes hold of; faults that share a target follow one another. */
    Set<Target> targets();

    /** How long it may act, in seconds: 1 to 5 unless it says otherwise. */
    default Span lasts() {
        return new Span(1, 5);
    }

    /** Invariants that cannot hold with this fault, for a reason that the guarantees name; such a fault must be asked for. */
    default Set<Invariant> waives() {
        return Set.of();
    }

    /** Whether it says something about this engine; it is left out of runs on others. */
    default boolean concerns(Engine engine) {
        return true;
    }

    /** Whether it can be done here. One that cannot says what is missing, and is left out unless it is named. */
    default boolean possible() {
        return true;
    }

    /** Asks for what it needs of a world, before there is one. */
    default void prepare(Setup setup) {}

    /** Chooses whom it hits and how. A pure function: the same random numbers lead to the same injection. */
    Injection draw(Random random, Shape shape);

    /** A range of seconds, ends included. */
    record Span(double shortest, double longest) {}
}
