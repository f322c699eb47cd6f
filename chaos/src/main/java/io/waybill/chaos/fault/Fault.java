package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.ClusterOptions;
import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.jdbc.Engine;
import java.util.Random;
import java.util.Set;

/** A kind of fault. It is stateless: the details of one occurrence are drawn in advance, as an {@link Injection}. */
public interface Fault {
    /** The name on the command line, for example {@code relay-kill}. */
    String name();

    /** A one-line description. */
    String description();

    /** The affected parts of the cluster. Faults with a common target never overlap. */
    Set<Target> targets();

    /** The range of durations in seconds (default 1 to 5). */
    default Span lasts() {
        return new Span(1, 5);
    }

    /**
     * Invariants that do not hold with this fault; docs/guarantees.md gives the reason. Such a fault must be named on
     * the command line.
     */
    default Set<Invariant> waives() {
        return Set.of();
    }

    /** Whether the fault applies to this engine. */
    default boolean concerns(Engine engine) {
        return true;
    }

    /** Whether the fault is possible on this machine. If not, this method prints what is missing, and the fault is omitted unless it is named. */
    default boolean possible() {
        return true;
    }

    /** Changes the options of the cluster before it starts. */
    default void prepare(ClusterOptions options) {}

    /**
     * Draws the affected process and the parameters. A pure function: the same random numbers give the same injection.
     */
    Injection draw(Random random, ClusterSize size);

    /** An inclusive range of seconds. */
    record Span(double shortest, double longest) {}
}
