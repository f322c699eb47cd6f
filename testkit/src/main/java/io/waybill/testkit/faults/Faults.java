package io.waybill.testkit.faults;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * The faults that act now, switched by the test's thread and asked by the threads that move data. Its monitor guards
 * which connections lost data, too; see {@link TcpProxy#heal()}.
 */
final class Faults {

    enum Way {
        TO_CLIENT,
        TO_SERVER
    }

    private final Set<Way> dropped = EnumSet.noneOf(Way.class);
    private Duration delay = Duration.ZERO;
    private long bytesPerSecond = Long.MAX_VALUE;

    synchronized void drop(Way way) {
        dropped.add(way);
    }

    synchronized boolean drops(Way way) {
        return dropped.contains(way);
    }

    synchronized void delay(Duration delay) {
        this.delay = delay;
    }

    synchronized void throttle(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** How long a piece of this many bytes takes. */
    synchronized Duration delay(int bytes) {
        return delay.plusMillis(1_000L * bytes / bytesPerSecond);
    }

    synchronized void clear() {
        dropped.clear();
        delay = Duration.ZERO;
        bytesPerSecond = Long.MAX_VALUE;
    }
}
