package io.waybill.bench.contest;

import io.waybill.bench.load.Load;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import java.sql.SQLException;

/** The tables of a contestant, and statements that fill them inside the database. */
public enum TableLayout {
    JOURNAL("outbox_events", "", "") {
        @Override
        void create(Schema schema) {
            OutboxSchema.apply(schema.dataSource(), Engine.JOURNAL);
        }

        /** No relay and no writer runs, so the snapshot shows all rows. */
        @Override
        void settleAll(Schema schema) throws SQLException {
            String last = "(SELECT last_value FROM outbox_events_seq_seq)";
            schema.execute("UPDATE outbox_cursors SET done = pg_current_snapshot(), done_seq = " + last
                    + ", open_end = " + last);
        }
    },
    QUEUE("outbox_events", ", state, processed_at", ", 'PUBLISHED', now()") {
        @Override
        void create(Schema schema) {
            OutboxSchema.apply(schema.dataSource(), Engine.QUEUE);
        }
    },
    /** A row with a state for each event, and only the index that a drain needs. */
    STATUS("events", ", status, processed_at", ", 'PUBLISHED', now()") {
        @Override
        void create(Schema schema) throws SQLException {
            schema.execute(schema.base().events());
        }
    },
    /** An append-only table and the position of one reader. */
    SEQUENCE("events", "", "") {
        @Override
        void create(Schema schema) throws SQLException {
            schema.execute("""
                    CREATE TABLE events (seq bigserial, id uuid PRIMARY KEY, aggregate_type varchar(50) NOT NULL,
                        aggregate_id varchar(100) NOT NULL, event_type varchar(100) NOT NULL, payload json NOT NULL,
                        occurred_at timestamptz NOT NULL DEFAULT now());
                    CREATE INDEX events_seq ON events (seq);
                    CREATE TABLE position (id int PRIMARY KEY, seq bigint NOT NULL);
                    INSERT INTO position VALUES (1, 0)""");
        }

        @Override
        void settleAll(Schema schema) throws SQLException {
            schema.execute("UPDATE position SET seq = (SELECT max(seq) FROM events)");
        }
    };

    private final String table;
    private final String publishedColumns;
    private final String publishedValues;

    TableLayout(String table, String publishedColumns, String publishedValues) {
        this.table = table;
        this.publishedColumns = publishedColumns;
        this.publishedValues = publishedValues;
    }

    abstract void create(Schema schema) throws SQLException;

    /** Marks inserted rows as published, if the rows have no column for this. */
    void settleAll(Schema schema) throws SQLException {}

    /** Inserts events, and some that are rolled back and must never be published. */
    void fill(Schema schema, Load load, int events, String topic) throws SQLException {
        fill(schema, load, events, topic, "", "");
    }

    /**
     * @param columns more columns, each after a comma
     * @param values their values, as expressions
     */
    void fill(Schema schema, Load load, int events, String topic, String columns, String values) throws SQLException {
        int ghosts = Math.max(1, events / 100);
        schema.execute("BEGIN; " + insert(columns, values, load.sql(events, ghosts), topic) + "; ROLLBACK");
        schema.execute(insert(columns, values, load.sql(0, events), topic));
        schema.execute("VACUUM ANALYZE " + table);
    }

    void fillPublished(Schema schema, Load load, long rows) throws SQLException {
        long step = 500_000;
        for (long first = 0; first < rows; first += step) {
            schema.execute(
                    insert(publishedColumns, publishedValues, load.sql(first, Math.min(step, rows - first)), "old"));
        }
        settleAll(schema);
        schema.execute("VACUUM ANALYZE " + table);
    }

    private String insert(String columns, String values, String source, String topic) {
        return "INSERT INTO " + table + " (id, aggregate_type, aggregate_id, event_type, payload" + columns
                + ") SELECT gen_random_uuid(), 'Order', key, '" + topic + "', payload::json" + values + " FROM ("
                + source
                + ") source";
    }

    /** Returns the INSERT of a writer; for Waybill's tables, that of the README. */
    String insertOne(DatabaseKind base) {
        return "INSERT INTO " + table
                + " (id, aggregate_type, aggregate_id, event_type, payload) VALUES (?, 'Order', ?, ?, "
                + base.json() + ")";
    }
}
