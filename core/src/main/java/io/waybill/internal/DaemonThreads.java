package io.waybill.internal;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Named daemon threads. The names make a thread dump readable; a daemon thread does not keep the process alive. */
public final class DaemonThreads {
    private DaemonThreads() {}

    /** Returns a thread that is not started yet. */
    public static Thread create(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Returns a factory for {@code count} threads. A single thread is named {@code name}, several are numbered. */
    public static ThreadFactory named(String name, int count) {
        return count == 1 ? task -> create(name, task) : numbered(name);
    }

    /** Returns a factory whose threads are named {@code name-1}, {@code name-2} and so on. */
    public static ThreadFactory numbered(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> create(name + "-" + number.incrementAndGet(), task);
    }
}
