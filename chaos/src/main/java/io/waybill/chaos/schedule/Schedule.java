package io.waybill.chaos.schedule;

import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.chaos.fault.Fault;
import io.waybill.chaos.fault.Injection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The faults of a run and their times, drawn from a seed before the run starts. The same seed, faults, cluster size and length give the
 * same schedule on every machine.
 *
 * <p>The faults are shuffled, and each is used once before any is used again. Most follow one another with a pause
 * between. About one in three begins while the previous one is active, if they have no common target.
 */
public final class Schedule {
    private final Random random;
    private final List<Fault> faults;
    private final ClusterSize size;
    private final List<Fault> deck = new ArrayList<>();
    private final List<PlannedFault> plan = new ArrayList<>();

    private Schedule(long seed, List<Fault> faults, ClusterSize size) {
        this.random = new Random(seed);
        this.faults = faults;
        this.size = size;
    }

    public static List<PlannedFault> draw(long seed, Duration length, List<Fault> faults, ClusterSize size) {
        Schedule schedule = new Schedule(seed, faults, size);
        long at = 0;
        while (true) {
            PlannedFault next = schedule.next(at);
            if (next.end().compareTo(length) > 0) {
                return List.copyOf(schedule.plan);
            }
            schedule.plan.add(next);
            at = schedule.after(next);
        }
    }

    private PlannedFault next(long millis) {
        Duration at = Duration.ofMillis(millis);
        Fault fault = deal(at);
        double seconds = fault.lasts().shortest()
                + random.nextDouble() * (fault.lasts().longest() - fault.lasts().shortest());
        Injection injection = fault.draw(new Random(random.nextLong()), size);
        return new PlannedFault(free(fault, at), Duration.ofMillis(Math.round(seconds * 1_000)), fault, injection);
    }

    /** Returns the next fault whose targets are free at that time, or else the next fault. */
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
                .map(PlannedFault::end)
                .reduce(at, (a, b) -> a.compareTo(b) > 0 ? a : b);
    }

    private long after(PlannedFault planned) {
        long begin = planned.at().toMillis();
        long lasts = planned.lasts().toMillis();
        boolean overlap = random.nextInt(3) == 0;
        return overlap ? begin + lasts * 3 / 10 : begin + lasts + 500 + random.nextInt(2_000);
    }
}
