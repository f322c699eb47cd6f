package io.waybill.faults.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A pool of real threads that execute simulated threads, reused by consecutive runs. At any moment, one of them or the test's own thread runs. */
final class CarrierThreads {
    private final Deque<Carrier> idle = new ArrayDeque<>();

    /** Assigns a real thread, which waits for its permit. */
    RunPermit assign(SimulatedThread thread) {
        Carrier carrier = idle.poll();
        if (carrier == null) {
            carrier = new Carrier();
        }
        carrier.thread = thread;
        return carrier.permit;
    }

    private final class Carrier implements Runnable {
        private final RunPermit permit;
        private @Nullable SimulatedThread thread;

        Carrier() {
            Thread thread = new Thread(this, "simulated");
            thread.setDaemon(true);
            permit = new RunPermit(thread);
            thread.start();
        }

        @Override
        public void run() {
            while (true) {
                permit.await();
                SimulatedThread running = thread;
                if (running != null) {
                    running.run();
                    // Before the next permit is granted: the next simulated thread may be assigned to this carrier.
                    idle.push(this);
                    running.leave().grant();
                }
            }
        }
    }
}
