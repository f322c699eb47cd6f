package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All faults there are. A new one is a class and a line here. */
public final class Faults {
    private static final List<Fault> ALL = list();

    private Faults() {}

    private static List<Fault> list() {
        List<Fault> faults = new ArrayList<>(List.of(
                new KillMember("relay-kill", Target.RELAYS, Shape::relays, World::relays, 1),
                new RelayHalt(),
                new RelayFreeze(),
                new RelayChurn(),
                new RollingRestart(),
                new ClockSkew(),
                new OneBrokerLink(),
                new KillMember("writer-kill", Target.WRITERS, Shape::writers, World::writers, 0),
                new KillMember("consumer-kill", Target.CONSUMERS, Shape::consumers, World::consumers, 0),
                new BigEvents(),
                new ConsumerFreeze(),
                new ServerTrouble(
                        "database-kill",
                        "kill -9 of PostgreSQL with all its processes, and a restart on the same data",
                        Target.DATABASE,
                        new Fault.Span(1, 5),
                        world -> world.database().server().kill(),
                        world -> world.database().server().restart()),
                new Failover(true),
                new Failover(false),
                new DiskFull(),
                new ConnectionsTaken(),
                new ClockStep(),
                new SequenceReset(),
                new FrozenOperator(),
                new ServerTrouble(
                        "broker-kill",
                        "kill -9 of the broker, and a restart on the same data",
                        Target.BROKER,
                        new Fault.Span(1, 8),
                        world -> world.broker().server().kill(),
                        world -> world.broker().server().restart()),
                new ServerTrouble(
                        "broker-freeze",
                        "SIGSTOP of the broker, then SIGCONT",
                        Target.BROKER,
                        new Fault.Span(2, 10),
                        world -> world.broker().server().suspend(),
                        world -> world.broker().server().resume()),
                new ServerTrouble(
                        "broker-restart",
                        "the broker is shut down in order and started again",
                        Target.BROKER,
                        new Fault.Span(1, 4),
                        world -> world.broker().server().stop(),
                        world -> world.broker().server().restart())));
        for (LinkTrouble trouble : LinkTrouble.values()) {
            faults.add(new DatabaseLink(trouble));
            faults.add(new BrokerLink(trouble));
        }
        return List.copyOf(faults);
    }

    public static List<Fault> all() {
        return ALL;
    }

    /** Those that keep every invariant and can be done here; the others are drawn only when they are named. */
    public static List<Fault> usual() {
        return ALL.stream()
                .filter(fault -> fault.waives().isEmpty())
                .filter(Fault::possible)
                .toList();
    }

    /**
     * The usual faults of one run. {@code schema rebase} restores the order of a sequence that was set back from the times at which
     * events were written, so a run sets back either the sequence or the clock, never both.
     */
    public static List<Fault> usual(long seed) {
        String other = seed % 2 == 0 ? SequenceReset.NAME : ClockStep.NAME;
        return usual().stream().filter(fault -> !fault.name().equals(other)).toList();
    }

    public static Optional<Fault> named(String name) {
        return ALL.stream().filter(fault -> fault.name().equals(name)).findFirst();
    }

    public static List<String> names() {
        return ALL.stream().map(Fault::name).toList();
    }
}
