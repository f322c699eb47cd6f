package io.waybill.examples.quality.security;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts failures by name, in windows that begin with a name's first failure.
 *
 * <p>The number of names is bounded. The map keeps them in the order in which their windows began, which is also the order in which
 * the windows end. When the map is full, the oldest window is removed.
 */
final class FailureWindows {
    private final int limit;
    private final Duration length;
    private final int mostNames;
    private final Clock clock;
    private final Map<String, Window> windows = new LinkedHashMap<>();

    FailureWindows(int limit, Duration length, int mostNames, Clock clock) {
        this.limit = limit;
        this.length = length;
        this.mostNames = mostNames;
        this.clock = clock;
    }

    /** Counts a failure and returns zero. When the name has reached its limit, counts nothing and returns the time to wait. */
    synchronized Duration take(String name) {
        Instant now = clock.instant();
        forgetEnded(now);
        Window window = windows.get(name);
        if (window == null) {
            if (windows.size() >= mostNames) {
                windows.remove(windows.keySet().iterator().next());
            }
            windows.put(name, new Window(now, 1));
            return Duration.ZERO;
        }
        if (window.failures >= limit) {
            return Duration.between(now, window.begin.plus(length));
        }
        windows.put(name, new Window(window.begin, window.failures + 1)); // keeps its position in the map
        return Duration.ZERO;
    }

    /** Subtracts a counted failure. */
    synchronized void forgive(String name) {
        windows.computeIfPresent(
                name, (same, window) -> window.failures == 1 ? null : new Window(window.begin, window.failures - 1));
    }

    synchronized int size() {
        return windows.size();
    }

    /** A window that begins in the future is dropped: the clock was set back, and the window would last too long. */
    private void forgetEnded(Instant now) {
        Iterator<Window> oldest = windows.values().iterator();
        while (oldest.hasNext()) {
            Window window = oldest.next();
            if (window.begin.isAfter(now) || !window.begin.plus(length).isAfter(now)) {
                oldest.remove();
            } else {
                return;
            }
        }
    }

    private record Window(Instant begin, int failures) {}
}
