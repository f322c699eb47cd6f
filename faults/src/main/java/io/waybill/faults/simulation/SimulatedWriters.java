package io.waybill.faults.simulation;

import io.waybill.Event;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Services that append events in transactions. A transaction locks its keys in order before it appends, so the events of a key are
 * appended in the order of their commits. Otherwise transactions begin, append and end in any order.
 */
final class SimulatedWriters {
    private final Environment environment;
    private final Scheduler scheduler;
    private final SimulatedBroker broker;
    private final Set<String> locked = new HashSet<>();
    private int left;
    private int running;
    private long transactions;
    private long events;

    SimulatedWriters(Environment environment, SimulatedBroker broker) {
        this.environment = environment;
        this.scheduler = environment.scheduler;
        this.broker = broker;
        this.left = environment.parameters.transactions();
    }

    void start() {
        for (int i = 0; i < environment.parameters.writers(); i++) {
            scheduler.after(scheduler.between(0, Scheduler.SECOND), this::begin);
        }
        flushNowAndThen();
    }

    boolean done() {
        return running == 0 && (left == 0 || environment.healed());
    }

    /** Commits that do not wait for the disk become durable soon afterwards. */
    private void flushNowAndThen() {
        scheduler.after(scheduler.between(0, Scheduler.SECOND), () -> {
            environment.store.flush();
            if (!environment.healed()) {
                flushNowAndThen();
            }
        });
    }

    private void begin() {
        if (left == 0 || environment.healed()) {
            return;
        }
        left--;
        running++;
        Transaction transaction = new Transaction();
        int keys = 1 + scheduler.random.nextInt(Math.min(2, environment.parameters.keys()));
        for (int i = 0; i < keys; i++) {
            transaction.keys.add("k" + scheduler.random.nextInt(environment.parameters.keys()));
        }
        transaction.step();
    }

    private final class Transaction {
        private final TreeSet<String> keys = new TreeSet<>();
        private final List<String> held = new ArrayList<>();
        private final List<Row> rows = new ArrayList<>();
        private final long number = ++transactions;
        private final long began = scheduler.now();
        private final int epoch = environment.databaseEpoch();

        void step() {
            if (environment.databaseEpoch() != epoch) {
                end("is lost in a crash of the database", false);
            } else if (!keys.isEmpty() && locked.contains(keys.first())) {
                again(); // the key is locked
            } else if (!keys.isEmpty()) {
                append(keys.pollFirst());
                again();
            } else if (scheduler.chance(0.15)) {
                end("rolls back", false);
            } else {
                end("commits", true);
            }
        }

        private void again() {
            long longest = scheduler.chance(0.1) ? 2 * Scheduler.SECOND : 20 * Scheduler.MILLISECOND;
            scheduler.after(scheduler.between(Scheduler.MILLISECOND, longest), this::step);
        }

        private void append(String key) {
            locked.add(key);
            held.add(key);
            int count = scheduler.chance(0.2) ? 3 : 1;
            for (int i = 0; i < count; i++) {
                Event event = Event.builder("t", "A", key)
                        .id(new UUID(1, ++events))
                        .occurredAt(Instant.EPOCH)
                        .build();
                Row row = environment.store.append(event, number, began);
                broker.expect(row);
                rows.add(row);
            }
        }

        private void end(String how, boolean commits) {
            boolean durably = !environment.parameters.asynchronousCommits() || scheduler.chance(0.5);
            scheduler.note(() -> "transaction " + number + " " + how
                    + (commits && !durably ? " without waiting for the disk " : " ")
                    + rows.stream().map(row -> row.key() + "#" + row.position).toList());
            if (commits) {
                environment.store.commit(rows, durably);
            } else {
                environment.store.rollBack(rows);
            }
            locked.removeAll(held);
            running--;
            scheduler.after(scheduler.between(0, Scheduler.SECOND), SimulatedWriters.this::begin);
        }
    }
}
