package io.waybill.server.database;

import io.waybill.Event;
import java.util.Collection;

/** Appends events. Begins a transaction with the first event after a commit. */
public interface EventWriter extends AutoCloseable {
    void append(Collection<Event> events);

    void commit();

    /** Rolls back the events that were not committed. */
    @Override
    void close();
}
