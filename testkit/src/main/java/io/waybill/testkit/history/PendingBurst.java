package io.waybill.testkit.history;

/** The burst that all writers of a workload work on together. */
final class PendingBurst {
    private Burst burst = Burst.NONE;

    synchronized void begin(Burst next) {
        burst = next;
    }

    synchronized Burst current() {
        return burst;
    }

    synchronized void written(int events) {
        burst = burst.over() ? burst : burst.less(events);
    }
}
