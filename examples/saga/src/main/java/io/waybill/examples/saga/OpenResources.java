package io.waybill.examples.saga;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The servers and services that run. They close in reverse order, once: when the example ends, or when the JVM is asked to stop.
 * Ctrl-C ends the JVM without running finally blocks, and PostgreSQL is not its child process.
 */
final class OpenResources implements AutoCloseable {
    /** Starts a server or a service. */
    interface Opening<T extends AutoCloseable> {
        T open() throws Exception;
    }

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private volatile boolean stopping;
    private boolean closed;

    OpenResources() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "close-example"));
    }

    /** Whether the JVM was asked to stop while the example ran. */
    boolean stopping() {
        return stopping;
    }

    /** Starts a resource. A stop waits until the resource has started, and then closes it too. */
    synchronized <T extends AutoCloseable> T open(Opening<T> opening) throws Exception {
        if (closed) {
            throw new IllegalStateException("The example is stopping.");
        }
        T resource = opening.open();
        open.push(resource);
        return resource;
    }

    private void stop() {
        stopping = true;
        close();
    }

    @Override
    public synchronized void close() {
        closed = true;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                System.err.println("Cannot stop a part of the example: " + e.getMessage());
            }
        }
    }
}
