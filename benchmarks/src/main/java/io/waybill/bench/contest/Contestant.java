package io.waybill.bench.contest;

import io.waybill.bench.load.Entry;
import io.waybill.bench.load.Load;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A program that publishes events from a table. Each contestant has its own tables, and one runs at a time. */
public interface Contestant {
    String name();

    /** Whether events of a key must arrive in order. */
    boolean ordered();

    TableLayout layout();

    /** Creates its tables, after dropping existing ones. */
    Schema create(String purpose) throws SQLException;

    /** Inserts events with numbers from 0. */
    void fill(Schema schema, Load load, int events, String topic) throws SQLException;

    /** Inserts published rows. No-op if the contestant deletes published rows. */
    void fillPublished(Schema schema, Load load, long rows) throws SQLException;

    /** Appends an event in the transaction of the connection. */
    void append(Connection connection, List<Entry> entries, String topic) throws SQLException;

    /** Creates a relay without starting it. */
    RunningRelay relay(Schema schema, String topic);
}
