package io.waybill.bench.contest;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.bench.load.Entry;
import io.waybill.bench.load.Load;
import io.waybill.envelope.Envelope;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.PostgresJournal;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayBuilder;
import io.waybill.relay.RelayListener;
import io.waybill.store.OutboxStore;
import io.waybill.transport.Transport;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A relay with default settings except for the batch size, on one of the two engines. */
final class WaybillRelay implements Contestant {
    /** Variants of the relay. */
    enum Way {
        USUAL(""),
        /** Writers call {@code relay.hint()} after their commits. */
        HINTED("-hinted"),
        /** The record is the payload without an envelope, as in the bare loops. */
        RAW("-raw");

        private final String suffix;

        Way(String suffix) {
            this.suffix = suffix;
        }
    }

    private final BenchServers servers;
    private final TableLayout layout;
    private final Way way;
    private final int batch;
    private final @Nullable Tracing tracing;
    private final Outbox<Connection> outbox = JdbcOutbox.create();

    WaybillRelay(BenchServers servers, TableLayout layout, Way way, int batch) {
        this(servers, layout, way, batch, null);
    }

    /** @param tracing null for events without trace contexts */
    WaybillRelay(BenchServers servers, TableLayout layout, Way way, int batch, @Nullable Tracing tracing) {
        this.tracing = tracing;
        this.servers = servers;
        this.layout = layout;
        this.way = way;
        this.batch = batch;
    }

    @Override
    public String name() {
        return (layout == TableLayout.JOURNAL ? "journal" : "queue")
                + way.suffix
                + (tracing == null ? "" : tracing.suffix());
    }

    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public TableLayout layout() {
        return layout;
    }

    @Override
    public Schema create(String purpose) throws SQLException {
        Schema schema = Schema.create(servers.jdbcUrl(), name().replaceAll("[-.]", "_") + "_" + purpose);
        layout.create(schema);
        return schema;
    }

    @Override
    public void fill(Schema schema, Load load, int events, String topic) throws SQLException {
        if (tracing != null) {
            layout.fill(schema, load, events, topic, ", headers", ", " + tracing.headersSql());
        } else if (schema.base().fillsItself()) {
            layout.fill(schema, load, events, topic);
        } else {
            TableFiller.fill(this, schema, load, events, topic);
        }
    }

    @Override
    public void fillPublished(Schema schema, Load load, long rows) throws SQLException {
        layout.fillPublished(schema, load, rows);
    }

    @Override
    public void append(Connection connection, List<Entry> entries, String topic) {
        outbox.append(
                connection,
                entries.stream()
                        .map(entry -> Event.of(topic, "Order", entry.key(), entry.payload()))
                        .toList());
    }

    @Override
    public RunningRelay relay(Schema schema, String topic) {
        OutboxStore store = layout == TableLayout.JOURNAL
                ? PostgresJournal.on(schema.dataSource()).store()
                : JdbcQueue.on(schema.dataSource()).store();
        Transport transport = servers.bus().transport();
        transport.probe();
        LongAdder published = new LongAdder();
        RelayBuilder builder = Relay.builder(store, transport);
        if (way == Way.RAW) {
            builder.envelope(Envelope.none());
        }
        RelayListener counter = new RelayListener() {
            @Override
            public void published(Event event, Duration latency) {
                published.increment();
            }
        };
        Tracing.@Nullable Exporter spans = tracing == null || !tracing.spans() ? null : new Tracing.Exporter();
        Relay relay = builder.batchSize(batch)
                .listener(spans == null ? counter : spans.with(counter))
                .build();
        return new RunningRelay() {
            @Override
            public void begin() {
                relay.start();
            }

            @Override
            public long published() {
                return published.sum();
            }

            @Override
            public boolean settled() throws SQLException {
                String open = layout == TableLayout.JOURNAL
                        ? "outbox_waiting"
                        : "outbox_events WHERE processed_at IS NULL AND next_attempt_at IS NULL";
                return schema.number("SELECT count(*) FROM (SELECT 1 FROM " + open + " LIMIT 1) rest") == 0;
            }

            @Override
            public void hint() {
                if (way == Way.HINTED) {
                    relay.hint();
                }
            }

            @Override
            public void close() {
                relay.close();
                transport.close();
                if (spans != null) {
                    spans.close();
                }
            }
        };
    }
}
