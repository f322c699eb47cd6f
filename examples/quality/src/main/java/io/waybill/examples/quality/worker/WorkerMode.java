package io.waybill.examples.quality.worker;

/** What a process of the service does with events. */
public enum WorkerMode {
    /** API and worker. */
    ON,
    /** API only; events stay pending for a worker in another process. */
    OFF,
    /** No API: handles pending events, then ends. */
    ONCE
}
