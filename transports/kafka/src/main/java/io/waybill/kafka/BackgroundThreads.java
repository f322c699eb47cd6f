package io.waybill.kafka;

import io.waybill.internal.DaemonThreads;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The transport's thread pool: daemon threads that end when they are idle. */
final class BackgroundThreads {
    /** A missing topic occupies a thread for a sixth of the send timeout. */
    private static final int MAX_THREADS = 16;

    private BackgroundThreads() {}

    static ThreadPoolExecutor pool() {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                MAX_THREADS,
                MAX_THREADS,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                DaemonThreads.numbered("waybill-kafka"));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }
}
