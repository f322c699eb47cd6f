package io.waybill.testkit.simulation;

import io.waybill.admin.EventState;
import io.waybill.relay.OnDeadLetter;
import java.util.List;
import java.util.Optional;

/**
 * Runs real relays against models of database and broker, on virtual time. The seed decides everything: how many relays,
 * writers and keys there are, who goes on when, what fails, dies, freezes or arrives late. At the end all faults are over,
 * everything must drain, and the promises are checked: nothing lost, no ghost, order per key, one owner per fence and none
 * whose lease still runs, late writes refused, attempts as the policy says, no duplicates without a fault.
 */
public final class Simulation {
    private static final long LONGEST_WORK = 15 * Conductor.SECOND;
    private static final long LONGEST_DRAIN = 120 * Conductor.SECOND;

    private final Stage stage = new Stage();
    private final Bug bug;

    public Simulation(Bug bug) {
        this.bug = bug;
    }

    /**
     * What a run has shown.
     *
     * @param steps how many things happened
     * @param trace what happened, when it was asked for
     */
    public record Report(long seed, int steps, Sights sights, List<String> violations, List<String> trace) {
        /** For a person: what is wrong, how to see it again, and all that led to it. */
        public String story() {
            return "Seed " + seed + ": " + violations + "\nAgain with -Dwaybill.simulation.seed=" + seed + "\n"
                    + String.join("\n", trace);
        }
    }

    /**
     * What was seen on the way, to know that a search has been to the places where mistakes show.
     *
     * @param together claims of several lanes in one transaction
     * @param lateWrites refused by the fence
     */
    public record Sights(int deliveries, int duplicates, int together, int lateWrites, int deadLetters, int outages) {
        public static final Sights NONE = new Sights(0, 0, 0, 0, 0, 0);

        public Sights plus(Sights more) {
            return new Sights(
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

    /** As {@link #run(long)}, with everything that happened. */
    public Report trace(long seed) {
        return run(seed, Integer.MAX_VALUE, true);
    }

    /** Looks for a run with a violation. */
    public Optional<Report> search(long firstSeed, int runs) {
        for (long seed = firstSeed; seed < firstSeed + runs; seed++) {
            Report report = run(seed);
            if (!report.violations().isEmpty()) {
                return Optional.of(report);
            }
        }
        return Optional.empty();
    }

    /** The same run, healed as early as the violation allows and no longer than it was, with everything that happened. */
    public Report shortest(long seed) {
        int steps = run(seed).steps();
        int enough = steps;
        int least = 0;
        while (enough - least > 5) {
            int middle = (least + enough) / 2;
            Report earlier = run(seed, middle, false);
            // healed earlier, a run may need more steps until it has drained
            if (earlier.violations().isEmpty() || earlier.steps() > steps) {
                least = middle;
            } else {
                enough = middle;
            }
        }
        return run(seed, enough, true);
    }

    /** @param healAfter steps after which nothing goes wrong any more and nothing new is written */
    private Report run(long seed, int healAfter, boolean tracing) {
        Conductor conductor = new Conductor(seed, stage, tracing);
        Plan plan = Plan.draw(conductor.random);
        conductor.note(plan::toString);
        World world = new World(conductor, plan, bug);
        SimulatedBroker broker = new SimulatedBroker(world);
        Fleet fleet = new Fleet(world, broker);
        Writers writers = new Writers(world, broker);
        Trouble trouble = new Trouble(world, broker, fleet);
        for (int i = 0; i < plan.relays(); i++) {
            fleet.launch();
        }
        writers.start();
        trouble.start();
        conductor.await(() -> writers.done() || conductor.steps() >= healAfter, LONGEST_WORK);
        trouble.heal();
        drain(world, broker, writers);
        fleet.closeAll();
        if (!conductor.await(fleet::closed, LONGEST_DRAIN)) {
            conductor.violation("a relay does not end");
        } else if (conductor.violations().isEmpty()) {
            atRest(world, fleet);
        }
        fleet.killAll();
        conductor.end();
        return new Report(
                seed,
                conductor.steps(),
                fleet.sights(),
                List.copyOf(conductor.violations()),
                List.copyOf(conductor.trace()));
    }

    private static void drain(World world, SimulatedBroker broker, Writers writers) {
        boolean drained = world.conductor.await(
                () -> {
                    repair(world, broker);
                    return writers.done() && world.store.rows().stream().noneMatch(Row::open);
                },
                LONGEST_DRAIN);
        if (!drained) {
            world.conductor.violation("does not drain: "
                    + world.store.rows().stream().filter(Row::open).toList());
        }
    }

    /** A person looks after dead letters that block their keys. */
    private static void repair(World world, SimulatedBroker broker) {
        if (world.plan.onDeadLetter() != OnDeadLetter.BLOCK) {
            return;
        }
        for (Row row : world.store.rows()) {
            if (row.state == EventState.DEAD_LETTER) {
                world.conductor.note(() -> "a person repairs and replays " + row);
                broker.repair(row);
                world.judge.replayed(row);
                world.store.replay(row);
            }
        }
    }

    private static void atRest(World world, Fleet fleet) {
        world.judge.verdict(world.store.rows(), world.plan.calm());
        if (fleet.ownsALane()) {
            world.conductor.violation("a relay has stopped and kept a lane");
        }
    }
}
