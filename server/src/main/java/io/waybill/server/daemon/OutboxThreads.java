package io.waybill.server.daemon;

import io.waybill.internal.DaemonThreads;
import io.waybill.time.Ticker;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import org.slf4j.MDC;

/** The threads of one outbox among several: their names and their log lines contain its name. */
final class OutboxThreads implements Ticker {
    /** The key in the diagnostic context of slf4j. */
    private static final String OUTBOX = "outbox";

    private final String outbox;

    OutboxThreads(String outbox) {
        this.outbox = outbox;
    }

    @Override
    public long nanos() {
        return SYSTEM.nanos();
    }

    @Override
    public ExecutorService threads(String name, int count) {
        ThreadFactory named = DaemonThreads.named(name + "-" + outbox, count);
        return Executors.newFixedThreadPool(count, task -> named.newThread(() -> logged(task)));
    }

    /** Starts a thread that ends with the task. */
    void start(String name, Runnable task) {
        DaemonThreads.create(name + "-" + outbox, () -> logged(task)).start();
    }

    private void logged(Runnable task) {
        MDC.put(OUTBOX, outbox);
        task.run();
    }
}
