package io.waybill.faults.simulation;

import io.waybill.Event;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A model of a broker with one topic. */
final class SimulatedBroker {
    enum Answer {
        ACCEPTED,
        REJECTED_FOR_NOW,
        REJECTED,
        NO_ANSWER
    }

    private final Environment environment;
    private final Map<UUID, Row> rows = new HashMap<>();
    private final Map<UUID, Integer> rejections = new HashMap<>();
    private long downUntil;
    private @Nullable String offlineKey;
    private long offlineUntil;

    SimulatedBroker(Environment environment) {
        this.environment = environment;
    }

    /** Draws whether the broker accepts the event, rejects it a few times or rejects it permanently. */
    void expect(Row row) {
        rows.put(row.id(), row);
        if (environment.parameters.poison() && environment.scheduler.chance(0.08)) {
            rejections.put(row.id(), -1);
        } else if (environment.parameters.rejections() && environment.scheduler.chance(0.2)) {
            rejections.put(row.id(), 1 + environment.scheduler.random.nextInt(4));
        }
    }

    Row row(UUID id) {
        Row row = rows.get(id);
        if (row == null) {
            throw new IllegalStateException("Unknown event " + id);
        }
        return row;
    }

    /** Makes the broker accept the event. */
    void repair(Row row) {
        rejections.remove(row.id());
    }

    boolean down() {
        return environment.scheduler.now() < downUntil;
    }

    void goDown(long nanos) {
        downUntil = environment.scheduler.now() + nanos;
    }

    /** The partition of this key has no leader. */
    void losePartition(String key, long nanos) {
        offlineKey = key;
        offlineUntil = environment.scheduler.now() + nanos;
    }

    void heal() {
        downUntil = 0;
        offlineUntil = 0;
    }

    Answer receive(Event event) {
        Row row = row(event.id());
        if (down() || (event.key().equals(offlineKey) && environment.scheduler.now() < offlineUntil)) {
            return Answer.NO_ANSWER;
        }
        int left = rejections.getOrDefault(row.id(), 0);
        if (left > 0) {
            rejections.put(row.id(), left - 1);
            return Answer.REJECTED_FOR_NOW;
        }
        if (left < 0) {
            return Answer.REJECTED;
        }
        environment.checker.arrived(row);
        environment.scheduler.note(() -> "arrived: " + row.key() + "#" + row.position);
        return Answer.ACCEPTED;
    }
}
