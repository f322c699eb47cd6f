package io.waybill.inbox.internal.breaker;

import io.waybill.inbox.ReceivedMessage;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The order in which the sources of events may send a probe while a group is paused. Each partition is a source, and so are the due
 * events of the inbox. Without this order, the source whose thread wakes up first would send every probe. Guarded by its {@link
 * CircuitBreaker}.
 */
public final class ProbeQueue {
    /** The source of due events, which are kept in the inbox. */
    public static final String DUE = "due";

    /** A source that sends no probe within this time after one became possible is gone: its partition was revoked. */
    private static final long ABSENT = 1_000_000_000L;

    private final Deque<String> waiting = new ArrayDeque<>();

    public static String sourceOf(ReceivedMessage message) {
        return message.topic() + "/" + (message.partition() < 0 ? "key " + message.key() : message.partition());
    }

    /** @param lateNanos time since a probe became possible */
    boolean isTurnOf(String source, long lateNanos) {
        String first = waiting.peekFirst();
        if (first == null || first.equals(source)) {
            return true;
        }
        if (lateNanos > ABSENT) {
            waiting.removeFirst();
            return true;
        }
        return false;
    }

    void addLast(String source) {
        if (!waiting.contains(source)) {
            waiting.addLast(source);
        }
    }

    void addFirst(String source) {
        waiting.remove(source);
        waiting.addFirst(source);
    }

    void remove(String source) {
        waiting.remove(source);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    void clear() {
        waiting.clear();
    }
}
