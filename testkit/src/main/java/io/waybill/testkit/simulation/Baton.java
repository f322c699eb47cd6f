package io.waybill.testkit.simulation;

import java.util.concurrent.locks.LockSupport;

/** A thread's turn: only the one that was passed the baton runs, so everything else needs no lock. */
final class Baton {
    private final Thread thread;
    private volatile boolean here;

    Baton(Thread thread) {
        this.thread = thread;
    }

    void pass() {
        here = true;
        LockSupport.unpark(thread);
    }

    void take() {
        while (!here) {
            LockSupport.park(this);
        }
        here = false;
    }
}
