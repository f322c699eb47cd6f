package io.waybill.bench.peer;

import io.waybill.bench.load.Entry;
import java.util.List;

/** Another system in its best documented configuration, found by the ServiceLoader in a JVM of its own. */
public interface Peer {
    /** Creates its tables in an empty database and starts the application, but not what relays. */
    void open(String jdbcUrl, String bootstrap, String topic) throws Exception;

    /** Appends through its own API, in one transaction. */
    void append(List<Entry> entries) throws Exception;

    void start() throws Exception;

    void stop() throws Exception;

    /** Events that are not marked as done. */
    long remaining() throws Exception;

    /** Whether it promises order per key. */
    boolean ordered();

    void close() throws Exception;
}
