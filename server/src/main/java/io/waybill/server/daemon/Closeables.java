package io.waybill.server.daemon;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes resources in the reverse order of their creation. A failure is logged and does not prevent closing the others. */
public final class Closeables implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Closeables.class);

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    public synchronized <T extends AutoCloseable> T add(T part) {
        open.push(part);
        return part;
    }

    @Override
    public synchronized void close() {
        while (!open.isEmpty()) {
            AutoCloseable part = open.pop();
            try {
                part.close();
            } catch (Exception e) {
                LOG.warn("Cannot close {}: {}", part.getClass().getSimpleName(), e.toString());
            }
        }
    }
}
