package io.waybill.bench.contest;

import io.waybill.bench.load.Entry;
import io.waybill.bench.load.Load;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * What anyone would write in an hour, on tables with nothing to spare: read a batch, send it without waiting in between, flush,
 * note it in the same transaction. One worker. Keeps no promise when anything fails.
 */
final class BareLoop implements Contestant {
    private final Servers servers;
    private final String name;
    private final Layout layout;
    private final BareStep step;
    private final int batch;

    BareLoop(Servers servers, String name, Layout layout, BareStep step, int batch) {
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
        layout.fill(schema, load, events, topic);
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
    public Layout layout() {
        return layout;
    }

    @Override
    public Running relay(Schema schema, String topic) {
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                producerSettings(servers.bootstrap()), new ByteArraySerializer(), new ByteArraySerializer());
        producer.partitionsFor(topic);
        return new BareThread(schema, producer, step, topic, batch);
    }

    /** The same that Waybill's transport sets. */
    static Map<String, Object> producerSettings(String bootstrap) {
        return Map.of(
                "bootstrap.servers",
                bootstrap,
                "acks",
                "all",
                "enable.idempotence",
                true,
                "max.in.flight.requests.per.connection",
                5,
                "linger.ms",
                2,
                "batch.size",
                128 * 1024,
                "compression.type",
                "lz4",
                "enable.metrics.push",
                false);
    }
}
