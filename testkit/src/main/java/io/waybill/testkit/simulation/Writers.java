package io.waybill.testkit.simulation;

import io.waybill.Event;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Services with transactions of one or more events. Each locks its keys in turn before it appends, so the events of a key are
 * appended in the order of their commits; apart from that, transactions begin, append and end in any order.
 */
final class Writers {
    private final World world;
    private final Conductor conductor;
    private final SimulatedBroker broker;
    private final Set<String> locked = new HashSet<>();
    private int left;
    private int running;
    private long transactions;
    private long events;

    Writers(World world, SimulatedBroker broker) {
        this.world = world;
        this.conductor = world.conductor;
        this.broker = broker;
        this.left = world.plan.transactions();
    }

    void start() {
        for (int i = 0; i < world.plan.writers(); i++) {
            conductor.after(conductor.between(0, Conductor.SECOND), this::begin);
        }
        flushNowAndThen();
    }

    boolean done() {
        return running == 0 && (left == 0 || world.healed());
    }

    /** What commits without waiting is durable soon after, by itself. */
    private void flushNowAndThen() {
        conductor.after(conductor.between(0, Conductor.SECOND), () -> {
            world.store.flush();
            if (!world.healed()) {
                flushNowAndThen();
            }
        });
    }

    private void begin() {
        if (left == 0 || world.healed()) {
            return;
        }
        left--;
        running++;
        Transaction transaction = new Transaction();
        int keys = 1 + conductor.random.nextInt(Math.min(2, world.plan.keys()));
        for (int i = 0; i < keys; i++) {
            transaction.keys.add("k" + conductor.random.nextInt(world.plan.keys()));
        }
        transaction.step();
    }

    private final class Transaction {
        private final TreeSet<String> keys = new TreeSet<>();
        private final List<String> held = new ArrayList<>();
        private final List<Row> rows = new ArrayList<>();
        private final long number = ++transactions;
        private final long began = conductor.now();
        private final int epoch = world.databaseEpoch();

        void step() {
            if (world.databaseEpoch() != epoch) {
                end("is lost with the database", false);
            } else if (!keys.isEmpty() && locked.contains(keys.first())) {
                again(); // waits for the lock of the key
            } else if (!keys.isEmpty()) {
                append(keys.pollFirst());
                again();
            } else if (conductor.chance(0.15)) {
                end("rolls back", false);
            } else {
                end("commits", true);
            }
        }

        private void again() {
            long longest = conductor.chance(0.1) ? 2 * Conductor.SECOND : 20 * Conductor.MILLISECOND;
            conductor.after(conductor.between(Conductor.MILLISECOND, longest), this::step);
        }

        private void append(String key) {
            locked.add(key);
            held.add(key);
            int count = conductor.chance(0.2) ? 3 : 1;
            for (int i = 0; i < count; i++) {
                Event event = Event.builder("t", "A", key)
                        .id(new UUID(1, ++events))
                        .occurredAt(Instant.EPOCH)
                        .build();
                Row row = world.store.append(event, number, began);
                broker.expect(row);
                rows.add(row);
            }
        }

        private void end(String how, boolean commits) {
            boolean durably = !world.plan.hastyCommits() || conductor.chance(0.5);
            conductor.note(() -> "transaction " + number + " " + how + (commits && !durably ? " without waiting " : " ")
                    + rows.stream().map(row -> row.key() + "#" + row.position).toList());
            if (commits) {
                world.store.commit(rows, durably);
            } else {
                world.store.rollBack(rows);
            }
            locked.removeAll(held);
            running--;
            conductor.after(conductor.between(0, Conductor.SECOND), Writers.this::begin);
        }
    }
}
