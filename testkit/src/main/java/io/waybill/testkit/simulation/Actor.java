package io.waybill.testkit.simulation;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A thread of a relay, or the test's own. */
final class Actor {
    final String name;
    final @Nullable Life life;
    private final Conductor conductor;
    private final Runnable task;
    private @Nullable Baton baton;
    /** What it waits for; it goes on at the latest when its time is up. */
    @Nullable
    BooleanSupplier ready;
    /** Outdates what is on the agenda for this actor. */
    int turn;

    Actor(Conductor conductor, @Nullable Life life, String name, Runnable task) {
        this.conductor = conductor;
        this.life = life;
        this.name = name;
        this.task = task;
    }

    void on(Baton given) {
        baton = given;
    }

    Baton baton() {
        if (baton == null) {
            throw new IllegalStateException(name + " has no thread");
        }
        return baton;
    }

    boolean dead() {
        return life != null && life.dead();
    }

    void play() {
        try {
            if (!dead()) {
                task.run();
            }
        } catch (Actor.Crashed e) {
            // as if the process had ended
        } catch (Throwable e) {
            conductor.unexpected(this, e);
        }
    }

    /** @return whose turn it is now */
    Baton leave() {
        return conductor.gone(this).baton();
    }

    /** Ends a thread of a relay that was killed; no relay catches it. */
    static final class Crashed extends Error {
        private static final long serialVersionUID = 1L;

        Crashed() {
            super("killed", null, false, false);
        }
    }
}
