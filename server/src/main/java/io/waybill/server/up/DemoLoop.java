package io.waybill.server.up;

import io.waybill.internal.DaemonThreads;
import io.waybill.internal.LogText;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeats a step of the demo on a thread of its own. A failure is logged once and the step is repeated. */
final class DemoLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DemoLoop.class);

    private final Step step;
    private final Duration pause;
    private final Thread thread;
    private volatile boolean stopped;

    private DemoLoop(String name, Duration pause, Step step) {
        this.step = step;
        this.pause = pause;
        this.thread = DaemonThreads.create(name, this::run);
    }

    static DemoLoop start(String name, Duration pause, Step step) {
        DemoLoop loop = new DemoLoop(name, pause, step);
        loop.thread.start();
        return loop;
    }

    private void run() {
        boolean complained = false;
        while (!stopped) {
            try {
                step.run();
                complained = false;
            } catch (SQLException | RuntimeException e) {
                if (!complained && !stopped) {
                    LOG.warn("A part of the demo failed; retrying: {}", LogText.oneLine(e.getMessage()));
                    complained = true;
                }
            }
            try {
                TimeUnit.MILLISECONDS.sleep(pause.toMillis());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
        try {
            thread.join(2_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @FunctionalInterface
    interface Step {
        void run() throws SQLException;
    }
}
