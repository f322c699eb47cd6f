package io.waybill.faults.history;

/** The burst of big events that all writers of a workload share. */
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
