package io.waybill.testkit.simulation;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time, and who goes on next.
 *
 * <p>Everything that happens stands on an agenda with its time: a message that arrives, a fault, a thread of a relay that
 * wakes up. Whoever stops running takes the next entry. What belongs to nobody's thread is done at once; a thread's turn is
 * passed to it. Durations are drawn from the seed, and so is the order of what happens in the same moment: nothing else
 * decides, so the same seed gives the same run.
 */
final class Conductor {
    static final long MILLISECOND = 1_000_000L;
    static final long SECOND = 1_000 * MILLISECOND;
    private static final Pattern RANDOM_PART = Pattern.compile("(?<=\\br\\d\\d)-[0-9a-f]{5}");
    private static final int MOST_STEPS = 60_000;

    final SplittableRandom random;
    private final Stage stage;
    private final boolean tracing;
    private final List<String> trace = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private final PriorityQueue<Entry> agenda =
            new PriorityQueue<>(Comparator.comparingLong(Entry::time).thenComparingLong(Entry::order));
    private final List<Actor> actors = new ArrayList<>();
    private final Actor main;
    private Actor current;
    private long now;
    private int steps;
    private long entries;
    private boolean over;

    private record Entry(
            long time,
            long order,
            @Nullable Runnable event,
            @Nullable Actor actor,
            int turn) {}

    Conductor(long seed, Stage stage, boolean tracing) {
        this.random = new SplittableRandom(seed);
        this.stage = stage;
        this.tracing = tracing;
        this.main = new Actor(this, null, "test", () -> {});
        main.on(new Baton(Thread.currentThread()));
        this.current = main;
    }

    long now() {
        return now;
    }

    int steps() {
        return steps;
    }

    List<String> trace() {
        return trace;
    }

    List<String> violations() {
        return violations;
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    long between(long least, long most) {
        return least >= most ? least : random.nextLong(least, most);
    }

    void after(long nanos, Runnable event) {
        agenda.add(new Entry(now + nanos, order(), event, null, 0));
    }

    /** Random, so that what is due in the same moment comes in any order; the count makes it unique. */
    private long order() {
        return ((random.nextLong() >>> 40) << 24) | (entries++ & 0xFFFFFF);
    }

    void note(Supplier<String> line) {
        if (tracing) {
            String who = current == main ? "" : " [" + current.name + "]";
            trace.add(String.format("%9.4f %s%s", now / 1e9, seeded(line.get()), who));
        }
    }

    void violation(String what) {
        note(() -> "VIOLATION " + what);
        violations.add(seeded(what));
        over = true;
    }

    /** Without the random part of a relay's name. */
    private static String seeded(String text) {
        return RANDOM_PART.matcher(text).replaceAll("");
    }

    void unexpected(Actor actor, Throwable problem) {
        StringWriter stack = new StringWriter();
        problem.printStackTrace(new PrintWriter(stack));
        violation(actor.name + " ended with " + stack);
    }

    void spawn(Life life, String name, Runnable task) {
        Actor actor = new Actor(this, life, life + " " + name, task);
        actor.on(stage.enter(actor));
        actors.add(actor);
        wakeAfter(actor, between(0, MILLISECOND));
    }

    private void wakeAfter(Actor actor, long nanos) {
        agenda.add(new Entry(now + nanos, order(), null, actor, ++actor.turn));
    }

    /** Lets the threads of a killed relay end. */
    void unwind(Life life) {
        for (Actor actor : actors) {
            if (actor.life == life && actor != current) {
                actor.ready = null;
                wakeAfter(actor, 0);
            }
        }
    }

    /** The running thread stands still for this long. */
    void sleep(long nanos) {
        await(null, nanos);
    }

    /** @return whether the condition came true in time */
    boolean await(@Nullable BooleanSupplier ready, long limitNanos) {
        Actor self = current;
        if (self.dead()) {
            throw new Actor.Crashed();
        }
        self.ready = ready;
        wakeAfter(self, limitNanos);
        Actor next = next();
        if (next != self) {
            next.baton().pass();
            self.baton().take();
        }
        self.ready = null;
        if (self.dead()) {
            throw new Actor.Crashed();
        }
        return ready != null && ready.getAsBoolean();
    }

    /** @return whose turn it is after the actor has ended */
    Actor gone(Actor actor) {
        actors.remove(actor);
        return next();
    }

    /** Does what is due until it is a thread's turn. */
    private Actor next() {
        while (true) {
            if (over) {
                return turnOf(main);
            }
            for (Actor actor : actors) {
                wakeIfReady(actor);
            }
            wakeIfReady(main);
            Entry entry = agenda.poll();
            if (entry == null || ++steps > MOST_STEPS) {
                violation(entry == null ? "nothing can happen any more" : "still busy after " + steps + " steps");
                return turnOf(main);
            }
            now = Math.max(now, entry.time());
            Actor actor = entry.actor();
            if (entry.event() != null) {
                entry.event().run();
            } else if (actor != null && actor.turn == entry.turn()) {
                long frozen = actor.life == null || actor.dead() ? 0 : actor.life.frozenUntil() - now;
                if (frozen <= 0) {
                    return turnOf(actor);
                }
                wakeAfter(actor, frozen);
            }
        }
    }

    private void wakeIfReady(Actor actor) {
        BooleanSupplier ready = actor.ready;
        if (ready != null && ready.getAsBoolean()) {
            actor.ready = null;
            wakeAfter(actor, between(0, MILLISECOND / 5));
        }
    }

    private Actor turnOf(Actor actor) {
        actor.turn++;
        current = actor;
        return actor;
    }

    /** Ends every thread that is left; all relays must have been killed. */
    void end() {
        agenda.clear();
        over = false;
        for (Actor actor : actors) {
            actor.ready = null;
            wakeAfter(actor, 0);
        }
        await(actors::isEmpty, 1_000 * SECOND);
    }
}
