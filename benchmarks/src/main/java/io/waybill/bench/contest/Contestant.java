package io.waybill.bench.contest;

import io.waybill.bench.load.Entry;
import io.waybill.bench.load.Load;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A way to bring events from a table to Kafka. Has tables of its own; one runs at a time. */
public interface Contestant {
    String name();

    /** Whether events of a key must arrive in their order. */
    boolean ordered();

    Layout layout();

    /** Drops its tables for this purpose, if any, and creates them empty. */
    Schema create(String purpose) throws SQLException;

    /** Adds events number 0 and up, to be relayed to the topic. */
    void fill(Schema schema, Load load, int events, String topic) throws SQLException;

    /** Adds rows that were relayed long ago; nothing where none are kept. */
    void fillPublished(Schema schema, Load load, long rows) throws SQLException;

    /** Appends in the connection's transaction, as its users do. */
    void append(Connection connection, List<Entry> entries, String topic) throws SQLException;

    /** Connects a relay to database and broker; it does nothing yet. */
    Running relay(Schema schema, String topic);
}
