package io.waybill.examples.quality.worker;

/** What a process of the service does with events. */
public enum WorkerMode {
    /** API and worker. */
    ON,
    /** API alone; events wait for a worker elsewhere. */
    OFF,
    /** No API: handles what is pending, and ends. */
    ONCE
}
