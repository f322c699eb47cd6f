package io.waybill.faults.history;

import io.waybill.faults.history.History.Attempt;
import io.waybill.faults.history.History.Result;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Compares the appended, the committed and the delivered events.
 *
 * <p>Order of a key: the first delivery of an event must follow the first delivery of the committed event before it.
 * Dead letters are ignored. A repeated delivery may come at any time: a relay that took over a lane
 * repeats messages of its predecessor, and a message that a frozen relay had in flight arrives late.
 */
public final class Checker {
    private final Map<UUID, Written> written = new HashMap<>();
    private final Map<UUID, Result> told = new HashMap<>();
    private final Set<UUID> committed;
    private final Set<UUID> formerly;
    private final Set<UUID> dead;
    private final Map<String, TreeSet<Long>> due = new HashMap<>();
    private final Map<String, Long> latest = new HashMap<>();
    private final Set<UUID> seen = new HashSet<>();
    private final List<String> ghosts = new ArrayList<>();
    private final Set<String> revoked = new LinkedHashSet<>();
    private final List<String> corrupt = new ArrayList<>();
    private final List<String> misordered = new ArrayList<>();
    private int duplicates;

    private Checker(Collection<Attempt> attempts, Set<UUID> committed, Set<UUID> formerly, Set<UUID> dead) {
        this.committed = committed;
        this.formerly = formerly;
        this.dead = dead;
        for (Attempt attempt : attempts) {
            written.put(attempt.event().id(), attempt.event());
            told.put(attempt.event().id(), attempt.result());
        }
        for (UUID id : committed) {
            Written event = written.get(id);
            if (event != null && !dead.contains(id)) {
                due.computeIfAbsent(event.key(), key -> new TreeSet<>()).add(event.n());
            }
        }
    }

    /**
     * @param committed ids of all events whose transactions the database kept, as its business rows say
     * @param delivered the topic, in an order that keeps the order of each key
     * @param dead ids of dead letters
     */
    public static HistoryVerdict check(
            Collection<Attempt> attempts, Set<UUID> committed, List<Delivered> delivered, Set<UUID> dead) {
        return check(attempts, committed, Set.of(), delivered, dead);
    }

    /** @param formerly ids of events that the former primary had committed before a failover */
    public static HistoryVerdict check(
            Collection<Attempt> attempts,
            Set<UUID> committed,
            Set<UUID> formerly,
            List<Delivered> delivered,
            Set<UUID> dead) {
        Checker checker = new Checker(attempts, committed, formerly, dead);
        delivered.forEach(checker::take);
        return checker.verdict();
    }

    private void take(Delivered delivery) {
        Written event = written.get(delivery.id());
        if (event != null && !committed.contains(delivery.id()) && formerly.contains(delivery.id())) {
            revoked.add(event.toString());
            return;
        }
        if (event == null || !committed.contains(delivery.id())) {
            ghosts.add(event == null ? "unknown event " + delivery : event.toString());
            return;
        }
        if (!intact(event, delivery)) {
            corrupt.add(event + ": wrote " + BigPayload.summary(event.payload()) + " " + event.headers() + ", found "
                    + delivery);
        }
        if (!seen.add(delivery.id())) {
            duplicates++;
            return;
        }
        order(event);
    }

    private static boolean intact(Written event, Delivered delivery) {
        return event.key().equals(delivery.key())
                && BigPayload.summary(event.payload()).equals(delivery.payload())
                && delivery.headers().entrySet().containsAll(event.headers().entrySet());
    }

    private void order(Written event) {
        long before = latest.getOrDefault(event.key(), 0L);
        if (event.n() < before) {
            misordered.add(event + " was delivered after #" + before);
            return;
        }
        TreeSet<Long> numbers = due.get(event.key());
        Long next = numbers == null ? null : numbers.higher(before);
        if (next != null && next < event.n()) {
            misordered.add(event + " was delivered before #" + next);
        }
        latest.put(event.key(), event.n());
    }

    private HistoryVerdict verdict() {
        List<String> lost = new ArrayList<>();
        List<String> undone = new ArrayList<>();
        for (UUID id : committed) {
            Written event = written.get(id);
            if (event == null) {
                undone.add("unknown event " + id);
            } else if (told.get(id) == Result.FAIL) {
                undone.add("rolled back, but in the database: " + event);
            } else if (!seen.contains(id) && !dead.contains(id)) {
                lost.add(event.toString());
            }
        }
        List<String> unkept = written.values().stream()
                .filter(event -> told.get(event.id()) == Result.OK && !committed.contains(event.id()))
                .map(Written::toString)
                .toList();
        return new HistoryVerdict(
                written.size(),
                committed.size(),
                seen.size(),
                (int) dead.stream().filter(committed::contains).count(),
                duplicates,
                List.copyOf(lost),
                List.copyOf(ghosts),
                List.copyOf(revoked),
                List.copyOf(corrupt),
                List.copyOf(misordered),
                unkept,
                List.copyOf(undone));
    }
}
