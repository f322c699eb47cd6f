package io.waybill.kafka;

import io.waybill.transport.support.Daemons;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The transport's own threads: all daemons, few, and gone when there is nothing to do. */
final class BackgroundThreads {
    /** A missing topic holds one for a sixth of the send timeout. */
    private static final int MOST = 16;

    private BackgroundThreads() {}

    static ThreadPoolExecutor background() {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                MOST, MOST, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Daemons.named("waybill-kafka"));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }
}
