package io.waybill.chaos.fault;

/** An action that a fault repeats while it is active. */
final class RepeatedAction implements AutoCloseable {
    private final Thread thread;
    private volatile boolean closed;

    interface Action {
        /** @param repetition counts from 0 */
        void run(int repetition) throws InterruptedException;
    }

    private RepeatedAction(long millis, Action action) {
        thread = new Thread(() -> run(millis, action), "fault");
        thread.setDaemon(true);
        thread.start();
    }

    static RepeatedAction every(long millis, Action action) {
        return new RepeatedAction(millis, action);
    }

    private void run(long millis, Action action) {
        try {
            for (int i = 0; !closed; i++) {
                action.run(i);
                Thread.sleep(millis);
            }
        } catch (InterruptedException healed) {
            // the fault has ended
        }
    }

    /** Waits for the current repetition. */
    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
