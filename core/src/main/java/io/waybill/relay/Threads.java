package io.waybill.relay;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Daemon threads with names, so that a thread dump reads well and no relay keeps a process alive. */
final class Threads {
    private Threads() {}

    static ThreadFactory named(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> daemon(prefix + number.incrementAndGet(), task);
    }

    static Thread start(String name, Runnable task) {
        Thread thread = daemon(name, task);
        thread.start();
        return thread;
    }

    static void join(Thread thread, Duration limit) {
        try {
            thread.join(limit.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
