package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * What is going to break and when, drawn from a seed before anything starts: the same seed, faults, shape and time lead to the
 * same schedule on every machine.
 *
 * <p>Faults are dealt like cards, so that each comes once before any comes twice. Most follow one another with some peace
 * between; about one in three begins while the one before still acts, if they have no target in common.
 */
public final class Schedule {
    private final Random random;
    private final List<Fault> faults;
    private final Shape shape;
    private final List<Fault> deck = new ArrayList<>();
    private final List<Planned> plan = new ArrayList<>();

    private Schedule(long seed, List<Fault> faults, Shape shape) {
        this.random = new Random(seed);
        this.faults = faults;
        this.shape = shape;
    }

    public static List<Planned> draw(long seed, Duration length, List<Fault> faults, Shape shape) {
        Schedule schedule = new Schedule(seed, faults, shape);
        long at = 0;
        while (true) {
            Planned next = schedule.next(at);
            if (next.end().compareTo(length) > 0) {
                return List.copyOf(schedule.plan);
            }
            schedule.plan.add(next);
            at = schedule.after(next);
        }
    }

    private Planned next(long millis) {
        Duration at = Duration.ofMillis(millis);
        Fault fault = deal(at);
        double seconds = fault.lasts().shortest()
                + random.nextDouble() * (fault.lasts().longest() - fault.lasts().shortest());
        Injection injection = fault.draw(new Random(random.nextLong()), shape);
        return new Planned(free(fault, at), Duration.ofMillis(Math.round(seconds * 1_000)), fault, injection);
    }

    /** The next card whose targets nobody holds at that time; the next card of all when there is none. */
    private Fault deal(Duration at) {
        if (deck.isEmpty()) {
            deck.addAll(faults);
            Collections.shuffle(deck, random);
        }
        Fault fault = deck.stream()
                .filter(card -> free(card, at).equals(at))
                .findFirst()
                .orElse(deck.get(0));
        deck.remove(fault);
        return fault;
    }

    private Duration free(Fault fault, Duration at) {
        return plan.stream()
                .filter(planned -> !Collections.disjoint(planned.fault().targets(), fault.targets()))
                .map(Planned::end)
                .reduce(at, (a, b) -> a.compareTo(b) > 0 ? a : b);
    }

    private long after(Planned planned) {
        long begin = planned.at().toMillis();
        long lasts = planned.lasts().toMillis();
        boolean overlap = random.nextInt(3) == 0;
        return overlap ? begin + lasts * 3 / 10 : begin + lasts + 500 + random.nextInt(2_000);
    }
}
