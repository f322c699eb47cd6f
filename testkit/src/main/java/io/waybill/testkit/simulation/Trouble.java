package io.waybill.testkit.simulation;

import java.util.ArrayList;
import java.util.List;

/** Faults, one after the other, until the world is healed. */
final class Trouble {
    private final World world;
    private final Conductor conductor;
    private final SimulatedBroker broker;
    private final Fleet fleet;
    private final List<Runnable> kinds = new ArrayList<>();

    Trouble(World world, SimulatedBroker broker, Fleet fleet) {
        this.world = world;
        this.conductor = world.conductor;
        this.broker = broker;
        this.fleet = fleet;
        Plan plan = world.plan;
        when(plan.kills(), fleet::kill);
        when(plan.restarts(), fleet::stop);
        when(plan.restarts(), fleet::runOnce);
        when(plan.freezes(), () -> freeze(fleet.any()));
        when(plan.clockJumps(), () -> setClock(fleet.any()));
        when(plan.cuts(), () -> cutOff(fleet.any()));
        when(plan.databaseCrashes(), world::crashDatabase);
        when(plan.brokerOutages(), this::breakBroker);
    }

    private void when(boolean planned, Runnable kind) {
        if (planned) {
            kinds.add(kind);
        }
    }

    void start() {
        if (!kinds.isEmpty()) {
            conductor.after(conductor.between(0, 3 * Conductor.SECOND), this::strike);
        }
    }

    private void strike() {
        if (!world.healed()) {
            kinds.get(conductor.random.nextInt(kinds.size())).run();
            start();
        }
    }

    private long aWhile() {
        return conductor.between(Conductor.MILLISECOND, World.LEASE.toNanos() * 2);
    }

    private void freeze(Life life) {
        long time = aWhile();
        conductor.note(() -> life + " freezes for " + time / Conductor.MILLISECOND + " ms");
        life.freeze(time);
    }

    private void setClock(Life life) {
        long time = conductor.between(-20 * Conductor.SECOND, 20 * Conductor.SECOND);
        conductor.note(() -> "the clock of " + life + " is " + time / Conductor.MILLISECOND + " ms ahead");
        life.setClock(time);
    }

    private void cutOff(Life life) {
        long time = aWhile();
        conductor.note(() -> life + " cannot reach the database for " + time / Conductor.MILLISECOND + " ms");
        life.cutOff(time);
    }

    private void breakBroker() {
        long time = aWhile();
        if (conductor.chance(0.3)) {
            Life life = fleet.any();
            conductor.note(() -> life + " cannot reach the broker for " + time / Conductor.MILLISECOND + " ms");
            life.cutOffBroker(time);
        } else if (conductor.chance(0.5)) {
            conductor.note(() -> "the broker is out for " + time / Conductor.MILLISECOND + " ms");
            broker.goDown(time);
        } else {
            String key = "k" + conductor.random.nextInt(world.plan.keys());
            conductor.note(() -> "the partition of " + key + " is out for " + time / Conductor.MILLISECOND + " ms");
            broker.losePartition(key, time);
        }
    }

    /** From now on nothing goes wrong any more, and somebody is there to do the work. */
    void heal() {
        conductor.note(() -> "all faults are over");
        world.heal();
        broker.heal();
        fleet.heal();
    }
}
