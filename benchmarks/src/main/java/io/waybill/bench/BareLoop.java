package io.waybill.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

/** What anyone would write in an hour: select skip locked, send all, flush, update, commit. One worker. */
final class BareLoop {
    private final Backlog backlog;
    private final String bootstrap;
    private final int batch;
    private final CpuTime cpu;

    BareLoop(Backlog backlog, String bootstrap, int batch, CpuTime cpu) {
        this.backlog = backlog;
        this.bootstrap = bootstrap;
        this.batch = batch;
        this.cpu = cpu;
    }

    Measured run(int events) throws Exception {
        backlog.fillBare(events);
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", bootstrap,
                "acks", "all",
                "enable.idempotence", "true",
                "linger.ms", "2",
                "batch.size", "131072",
                "compression.type", "lz4");
        try (KafkaProducer<String, String> producer =
                        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
                Connection connection = backlog.dataSource().getConnection()) {
            producer.partitionsFor("bare");
            connection.setAutoCommit(false);
            Measured.Clock clock = Measured.start(cpu);
            int done = 0;
            int moved;
            do {
                moved = step(connection, producer);
                done += moved;
            } while (moved > 0);
            Measured measured = clock.stop(events);
            connection.setAutoCommit(true);
            if (done != events) {
                throw new IllegalStateException("bare loop moved " + done + " of " + events);
            }
            return measured;
        }
    }

    private int step(Connection connection, KafkaProducer<String, String> producer) throws Exception {
        List<UUID> ids = new ArrayList<>();
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT id, aggregate_id, event_type, payload FROM bare WHERE status = 'PENDING'"
                        + " AND next_attempt_at <= now() ORDER BY next_attempt_at, seq LIMIT " + batch
                        + " FOR UPDATE SKIP LOCKED")) {
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    ids.add(row.getObject(1, UUID.class));
                    sent.add(producer.send(new ProducerRecord<>("bare", row.getString(2), row.getString(4))));
                }
            }
        }
        producer.flush();
        for (Future<RecordMetadata> record : sent) {
            record.get();
        }
        if (!ids.isEmpty()) {
            try (PreparedStatement update = connection.prepareStatement(
                    "UPDATE bare SET status = 'PUBLISHED', processed_at = now() WHERE id = ANY (?)")) {
                update.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
                update.executeUpdate();
            }
        }
        connection.commit();
        return ids.size();
    }
}
