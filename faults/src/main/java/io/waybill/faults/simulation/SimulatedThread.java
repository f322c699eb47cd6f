package io.waybill.faults.simulation;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A thread of a simulated relay, or the test's own thread. */
final class SimulatedThread {
    final String name;
    final @Nullable RelayProcess process;
    private final Scheduler scheduler;
    private final Runnable task;
    private @Nullable RunPermit permit;
    /** The condition that the thread waits for, in addition to its time limit. */
    @Nullable
    BooleanSupplier ready;
    /** Invalidates older entries of the agenda for this thread. */
    int turn;

    SimulatedThread(Scheduler scheduler, @Nullable RelayProcess process, String name, Runnable task) {
        this.scheduler = scheduler;
        this.process = process;
        this.name = name;
        this.task = task;
    }

    void runOn(RunPermit given) {
        permit = given;
    }

    RunPermit permit() {
        if (permit == null) {
            throw new IllegalStateException(name + " has no real thread");
        }
        return permit;
    }

    boolean dead() {
        return process != null && process.dead();
    }

    void run() {
        try {
            if (!dead()) {
                task.run();
            }
        } catch (SimulatedThread.Crashed e) {
            // the process was killed
        } catch (Throwable e) {
            scheduler.unexpected(this, e);
        }
    }

    /** Returns the permit of the next thread to run. */
    RunPermit leave() {
        return scheduler.gone(this).permit();
    }

    /** Ends a thread of a killed relay. No relay catches this error. */
    static final class Crashed extends Error {
        private static final long serialVersionUID = 1L;

        Crashed() {
            super("killed", null, false, false);
        }
    }
}
