package io.waybill.server.daemon;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Things that were opened one after the other and are closed the other way round; a failure stops none of them. */
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
