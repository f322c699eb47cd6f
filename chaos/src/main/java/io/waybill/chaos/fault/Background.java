package io.waybill.chaos.fault;

/** Something that a fault does again and again while it acts. */
final class Background implements AutoCloseable {
    private final Thread thread;
    private volatile boolean closed;

    /** One turn; they count from 0. */
    interface Turn {
        void take(int turn) throws InterruptedException;
    }

    private Background(long millis, Turn turn) {
        thread = new Thread(() -> run(millis, turn), "fault");
        thread.setDaemon(true);
        thread.start();
    }

    static Background every(long millis, Turn turn) {
        return new Background(millis, turn);
    }

    private void run(long millis, Turn turn) {
        try {
            for (int i = 0; !closed; i++) {
                turn.take(i);
                Thread.sleep(millis);
            }
        } catch (InterruptedException healed) {
            // the fault is over
        }
    }

    /** Lets a turn end that was begun. */
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
