package io.waybill.testkit.simulation;

import io.waybill.Event;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The topic, and what it makes of a message. */
final class SimulatedBroker {
    enum Answer {
        TAKEN,
        NOT_NOW,
        NEVER,
        SILENCE
    }

    private final World world;
    private final Map<UUID, Row> rows = new HashMap<>();
    private final Map<UUID, Integer> refusals = new HashMap<>();
    private long downUntil;
    private @Nullable String deafKey;
    private long deafUntil;

    SimulatedBroker(World world) {
        this.world = world;
    }

    /** Draws how the broker will like the event. */
    void expect(Row row) {
        rows.put(row.id(), row);
        if (world.plan.poison() && world.conductor.chance(0.08)) {
            refusals.put(row.id(), -1);
        } else if (world.plan.refusals() && world.conductor.chance(0.2)) {
            refusals.put(row.id(), 1 + world.conductor.random.nextInt(4));
        }
    }

    Row row(UUID id) {
        Row row = rows.get(id);
        if (row == null) {
            throw new IllegalStateException("Nobody wrote " + id);
        }
        return row;
    }

    /** What was wrong with the event is put right. */
    void repair(Row row) {
        refusals.remove(row.id());
    }

    boolean down() {
        return world.conductor.now() < downUntil;
    }

    void goDown(long nanos) {
        downUntil = world.conductor.now() + nanos;
    }

    /** The partition of this key has no leader. */
    void losePartition(String key, long nanos) {
        deafKey = key;
        deafUntil = world.conductor.now() + nanos;
    }

    void heal() {
        downUntil = 0;
        deafUntil = 0;
    }

    Answer take(Event event) {
        Row row = row(event.id());
        if (down() || (event.key().equals(deafKey) && world.conductor.now() < deafUntil)) {
            return Answer.SILENCE;
        }
        int left = refusals.getOrDefault(row.id(), 0);
        if (left > 0) {
            refusals.put(row.id(), left - 1);
            return Answer.NOT_NOW;
        }
        if (left < 0) {
            return Answer.NEVER;
        }
        world.judge.arrived(row);
        world.conductor.note(() -> "arrived: " + row.key() + "#" + row.position);
        return Answer.TAKEN;
    }
}
