package io.waybill.faults.simulation;

import io.waybill.admin.EventState;
import io.waybill.relay.OnDeadLetter;
import java.util.List;
import java.util.Optional;

/**
 * Runs real relays on virtual time, with models of the database and of the broker. The seed determines everything: the number of
 * relays, writers and keys, the schedule of threads, and all faults. At the end all faults stop, all events must be published, and
 * the guarantees are checked: no event is lost, no uncommitted event is published, keys are in order, each fence has one owner, no
 * lease is taken before it expires, late writes are rejected, attempts follow the policy, and there are no duplicates without a fault.
 */
public final class Simulation {
    private static final long LONGEST_WORK = 15 * Scheduler.SECOND;
    private static final long LONGEST_DRAIN = 120 * Scheduler.SECOND;

    private final CarrierThreads carriers = new CarrierThreads();
    private final Bug bug;

    public Simulation(Bug bug) {
        this.bug = bug;
    }

    /**
     * The result of a run.
     *
     * @param steps the number of executed entries of the agenda
     * @param trace all steps, if tracing was requested
     */
    public record Report(long seed, int steps, Observations observations, List<String> violations, List<String> trace) {
        /** Returns the violations, the option that repeats the run, and all steps. */
        public String text() {
            return "Seed " + seed + ": " + violations + "\nRepeat with -Dwaybill.simulation.seed=" + seed + "\n"
                    + String.join("\n", trace);
        }
    }

    /**
     * Counts of rare situations, which show that a search has covered them.
     *
     * @param together transactions that claimed events of several lanes
     * @param lateWrites writes that the fence rejected
     */
    public record Observations(
            int deliveries, int duplicates, int together, int lateWrites, int deadLetters, int outages) {
        public static final Observations NONE = new Observations(0, 0, 0, 0, 0, 0);

        public Observations plus(Observations more) {
            return new Observations(
                    deliveries + more.deliveries,
                    duplicates + more.duplicates,
                    together + more.together,
                    lateWrites + more.lateWrites,
                    deadLetters + more.deadLetters,
                    outages + more.outages);
        }
    }

    public Report run(long seed) {
        return run(seed, Integer.MAX_VALUE, false);
    }

    /** As {@link #run(long)}, with a trace of all steps. */
    public Report trace(long seed) {
        return run(seed, Integer.MAX_VALUE, true);
    }

    /** Returns the first run with a violation. */
    public Optional<Report> search(long firstSeed, int runs) {
        for (long seed = firstSeed; seed < firstSeed + runs; seed++) {
            Report report = run(seed);
            if (!report.violations().isEmpty()) {
                return Optional.of(report);
            }
        }
        return Optional.empty();
    }

    /** Returns the same run, traced, with faults that end as early as the violation allows and with no more steps. */
    public Report shortest(long seed) {
        int steps = run(seed).steps();
        int enough = steps;
        int least = 0;
        while (enough - least > 5) {
            int middle = (least + enough) / 2;
            Report earlier = run(seed, middle, false);
            // a run whose faults end earlier may need more steps until all events are published
            if (earlier.violations().isEmpty() || earlier.steps() > steps) {
                least = middle;
            } else {
                enough = middle;
            }
        }
        return run(seed, enough, true);
    }

    /** @param healAfter the number of steps after which faults and writers stop */
    private Report run(long seed, int healAfter, boolean tracing) {
        Scheduler scheduler = new Scheduler(seed, carriers, tracing);
        RunParameters parameters = RunParameters.draw(scheduler.random);
        scheduler.note(parameters::toString);
        Environment environment = new Environment(scheduler, parameters, bug);
        SimulatedBroker broker = new SimulatedBroker(environment);
        SimulatedRelays relays = new SimulatedRelays(environment, broker);
        SimulatedWriters writers = new SimulatedWriters(environment, broker);
        FaultInjector faults = new FaultInjector(environment, broker, relays);
        for (int i = 0; i < parameters.relays(); i++) {
            relays.launch();
        }
        writers.start();
        faults.start();
        scheduler.await(() -> writers.done() || scheduler.steps() >= healAfter, LONGEST_WORK);
        faults.heal();
        drain(environment, broker, writers);
        relays.closeAll();
        if (!scheduler.await(relays::closed, LONGEST_DRAIN)) {
            scheduler.violation("a relay does not stop");
        } else if (scheduler.violations().isEmpty()) {
            checkFinalState(environment, relays);
        }
        relays.killAll();
        scheduler.end();
        return new Report(
                seed,
                scheduler.steps(),
                relays.observations(),
                List.copyOf(scheduler.violations()),
                List.copyOf(scheduler.trace()));
    }

    private static void drain(Environment environment, SimulatedBroker broker, SimulatedWriters writers) {
        boolean drained = environment.scheduler.await(
                () -> {
                    repair(environment, broker);
                    return writers.done() && environment.store.rows().stream().noneMatch(Row::open);
                },
                LONGEST_DRAIN);
        if (!drained) {
            environment.scheduler.violation("events are not published: "
                    + environment.store.rows().stream().filter(Row::open).toList());
        }
    }

    /** Replays dead letters that block their keys, as an operator does. */
    private static void repair(Environment environment, SimulatedBroker broker) {
        if (environment.parameters.onDeadLetter() != OnDeadLetter.BLOCK) {
            return;
        }
        for (Row row : environment.store.rows()) {
            if (row.state == EventState.DEAD_LETTER) {
                environment.scheduler.note(() -> "an operator repairs and replays " + row);
                broker.repair(row);
                environment.checker.replayed(row);
                environment.store.replay(row);
            }
        }
    }

    private static void checkFinalState(Environment environment, SimulatedRelays relays) {
        environment.checker.checkFinalState(environment.store.rows(), environment.parameters.calm());
        if (relays.ownsALane()) {
            environment.scheduler.violation("a relay has stopped without releasing a lane");
        }
    }
}
