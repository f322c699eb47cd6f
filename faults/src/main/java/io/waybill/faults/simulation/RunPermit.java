package io.waybill.faults.simulation;

import java.util.concurrent.locks.LockSupport;

/** Lets one thread run. Only one permit of a simulation is granted at a time, so the state of the simulation needs no lock. */
final class RunPermit {
    private final Thread thread;
    private volatile boolean granted;

    RunPermit(Thread thread) {
        this.thread = thread;
    }

    void grant() {
        granted = true;
        LockSupport.unpark(thread);
    }

    /** Blocks the calling thread until the permit is granted, and uses it up. */
    void await() {
        while (!granted) {
            LockSupport.park(this);
        }
        granted = false;
    }
}
