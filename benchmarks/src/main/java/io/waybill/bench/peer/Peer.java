package io.waybill.bench.peer;

import io.waybill.bench.load.Entry;
import java.util.List;

/** Another system in its best documented configuration. The ServiceLoader finds it in its own JVM. */
public interface Peer {
    /** Creates its tables in an empty database and starts the application without its relay. */
    void open(String jdbcUrl, String bootstrap, String topic) throws Exception;

    /** Appends through the API of the system, in one transaction. */
    void append(List<Entry> entries) throws Exception;

    void start() throws Exception;

    void stop() throws Exception;

    /** Returns the number of events that are not marked as done. */
    long remaining() throws Exception;

    /** Whether it guarantees order per key. */
    boolean ordered();

    void close() throws Exception;
}
