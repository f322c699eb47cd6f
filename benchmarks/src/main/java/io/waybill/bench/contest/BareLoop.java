package io.waybill.bench.contest;

import io.waybill.bench.load.Entry;
import io.waybill.bench.load.Load;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * A minimal loop on minimal tables: read a batch, send it without waiting for each record, flush, and
 * mark it in the same transaction. It has one worker and gives no guarantees when a fault occurs.
 */
final class BareLoop implements Contestant {
    private final BenchServers servers;
    private final String name;
    private final TableLayout layout;
    private final BareStep step;
    private final int batch;

    BareLoop(BenchServers servers, String name, TableLayout layout, BareStep step, int batch) {
        this.servers = servers;
        this.name = name;
        this.layout = layout;
        this.step = step;
        this.batch = batch;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean ordered() {
        return false;
    }

    @Override
    public Schema create(String purpose) throws SQLException {
        Schema schema = Schema.create(servers.jdbcUrl(), name.replace('-', '_') + "_" + purpose);
        layout.create(schema);
        return schema;
    }

    @Override
    public void fill(Schema schema, Load load, int events, String topic) throws SQLException {
        if (schema.base().fillsItself()) {
            layout.fill(schema, load, events, topic);
        } else {
            TableFiller.fill(this, schema, load, events, topic);
        }
    }

    @Override
    public void fillPublished(Schema schema, Load load, long rows) throws SQLException {
        if (step == BareStep.DELETE) {
            return;
        }
        layout.fillPublished(schema, load, rows);
    }

    @Override
    public void append(Connection connection, List<Entry> entries, String topic) throws SQLException {
        BareInsert.into(connection, layout, entries, topic);
    }

    @Override
    public TableLayout layout() {
        return layout;
    }

    @Override
    public RunningRelay relay(Schema schema, String topic) {
        try {
            return new BareThread(schema, servers.bus().sender(topic), step, batch);
        } catch (Exception e) {
            throw new IllegalStateException("Cannot reach the broker: " + e, e);
        }
    }
}
