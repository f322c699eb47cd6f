package io.waybill.testkit.network;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * The active faults. The thread of the test switches them, and the threads that copy data read them. The monitor also guards
 * the list of connections that lost data; see {@link TcpProxy#heal()}.
 */
final class NetworkFaults {

    enum Direction {
        TO_CLIENT,
        TO_SERVER
    }

    private final Set<Direction> dropped = EnumSet.noneOf(Direction.class);
    private Duration delay = Duration.ZERO;
    private long bytesPerSecond = Long.MAX_VALUE;

    synchronized void drop(Direction direction) {
        dropped.add(direction);
    }

    synchronized boolean drops(Direction direction) {
        return dropped.contains(direction);
    }

    synchronized void delay(Duration delay) {
        this.delay = delay;
    }

    synchronized void throttle(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Returns the time that a chunk of this many bytes takes. */
    synchronized Duration delay(int bytes) {
        return delay.plusMillis(1_000L * bytes / bytesPerSecond);
    }

    synchronized void clear() {
        dropped.clear();
        delay = Duration.ZERO;
        bytesPerSecond = Long.MAX_VALUE;
    }
}
