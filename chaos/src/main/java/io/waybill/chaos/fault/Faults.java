package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All faults. To add a fault, write a class and add a line here. */
public final class Faults {
    private static final List<Fault> ALL = list();

    private Faults() {}

    private static List<Fault> list() {
        List<Fault> faults = new ArrayList<>(List.of(
                new ProcessKill("relay-kill", Target.RELAYS, ClusterSize::relays, Cluster::relays, 1),
                new RelayHalt(),
                new RelayFreeze(),
                new RelayChurn(),
                new RollingRestart(),
                new ClockSkew(),
                new OneBrokerLinkCut(),
                new ProcessKill("writer-kill", Target.WRITERS, ClusterSize::writers, Cluster::writers, 0),
                new ProcessKill("consumer-kill", Target.CONSUMERS, ClusterSize::consumers, Cluster::consumers, 0),
                new ProcessKill("saga-engine-kill", Target.SAGAS, size -> Cluster.SAGA_ENGINES, Cluster::sagas, 0),
                new BigEvents(),
                new ConsumerFreeze(),
                new ServerFault(
                        "database-kill",
                        "PostgreSQL is killed with SIGKILL and restarted on the same data",
                        Target.DATABASE,
                        new Fault.Span(1, 5),
                        cluster -> cluster.database().server().kill(),
                        cluster -> cluster.database().server().restart()),
                new Failover(true),
                new Failover(false),
                new DatabaseDiskFull(),
                new ConnectionExhaustion(),
                new ClockStep(),
                new SequenceReset(),
                new OperatorFreeze(),
                new ServerFault(
                        "broker-kill",
                        "the broker is killed with SIGKILL and restarted on the same data",
                        Target.BROKER,
                        new Fault.Span(1, 8),
                        cluster -> cluster.broker().server().kill(),
                        cluster -> cluster.broker().server().restart()),
                new ServerFault(
                        "broker-freeze",
                        "the broker is frozen with SIGSTOP, then continued",
                        Target.BROKER,
                        new Fault.Span(2, 10),
                        cluster -> cluster.broker().server().suspend(),
                        cluster -> cluster.broker().server().resume()),
                new ServerFault(
                        "broker-restart",
                        "the broker is stopped cleanly and restarted",
                        Target.BROKER,
                        new Fault.Span(1, 4),
                        cluster -> cluster.broker().server().stop(),
                        cluster -> cluster.broker().server().restart())));
        for (NetworkFault kind : NetworkFault.values()) {
            faults.add(new OneDatabaseLinkFault(kind));
            faults.add(new AllBrokerLinksFault(kind));
        }
        return List.copyOf(faults);
    }

    public static List<Fault> all() {
        return ALL;
    }

    /** Returns the faults that violate no invariant and are possible on this machine. Others must be named on the command line. */
    public static List<Fault> usual() {
        return ALL.stream()
                .filter(fault -> fault.waives().isEmpty())
                .filter(Fault::possible)
                .toList();
    }

    /**
     * Returns the usual faults of one run, with either the reset of the sequence or the steps of the clock, never both. After a reset,
     * {@code schema rebase} restores the order of the events from the times at which they were appended. If the clock of the database
     * was stepped, these times are wrong.
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
