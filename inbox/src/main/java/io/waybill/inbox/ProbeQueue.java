package io.waybill.inbox;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The order in which a paused group's probes go to the places that events come from: each partition, and the due events of the
 * inbox itself. Without it, the place whose thread wakes up first would get every probe. Guarded by its {@link CircuitBreaker}.
 */
final class ProbeLine {
    /** The place of events that wait in the inbox and are due. */
    static final String DUE = "due";

    /** A place that does not come back within this time after a probe became possible has gone: its partition was revoked. */
    private static final long ABSENT = 1_000_000_000L;

    private final Deque<String> waiting = new ArrayDeque<>();

    static String placeOf(ReceivedMessage message) {
        return message.topic() + "/" + (message.partition() < 0 ? "key " + message.key() : message.partition());
    }

    /** @param late nanoseconds since a probe became possible */
    boolean isTurnOf(String place, long late) {
        String first = waiting.peekFirst();
        if (first == null || first.equals(place)) {
            return true;
        }
        if (late > ABSENT) {
            waiting.removeFirst();
            return true;
        }
        return false;
    }

    void join(String place) {
        if (!waiting.contains(place)) {
            waiting.addLast(place);
        }
    }

    void joinFirst(String place) {
        waiting.remove(place);
        waiting.addFirst(place);
    }

    void leave(String place) {
        waiting.remove(place);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    void clear() {
        waiting.clear();
    }
}
