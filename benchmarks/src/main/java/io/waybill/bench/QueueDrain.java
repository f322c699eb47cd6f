package io.waybill.bench;

import io.waybill.jdbc.PostgresQueue;
import io.waybill.kafka.KafkaTransport;
import io.waybill.relay.Relay;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/** A relay with default settings on the queue engine, from its start until the last event is settled. */
final class QueueDrain {
    private final Backlog backlog;
    private final String bootstrap;
    private final int batch;
    private final CpuTime cpu;

    QueueDrain(Backlog backlog, String bootstrap, int batch, CpuTime cpu) {
        this.backlog = backlog;
        this.bootstrap = bootstrap;
        this.batch = batch;
        this.cpu = cpu;
    }

    Measured run(int events) throws SQLException, InterruptedException {
        backlog.fillQueue(events);
        PostgresQueue queue = PostgresQueue.on(backlog.dataSource());
        try (KafkaTransport transport = KafkaTransport.to(bootstrap)) {
            transport.probe();
            int workers = Integer.getInteger("workers", 4);
            try (Relay relay = Relay.builder(queue.store(), transport)
                    .batchSize(batch)
                    .workers(workers)
                    .build()) {
                Measured.Clock clock = Measured.start(cpu);
                relay.start();
                while (backlog.count("SELECT count(*) FROM (SELECT 1 FROM outbox_events WHERE processed_at IS NULL"
                                + " AND next_attempt_at IS NULL LIMIT 1) open")
                        > 0) {
                    TimeUnit.MILLISECONDS.sleep(10);
                }
                Measured measured = clock.stop(events);
                long published = backlog.count("SELECT count(*) FROM outbox_events WHERE state = 'PUBLISHED'");
                if (published != events) {
                    throw new IllegalStateException("queue engine published " + published + " of " + events);
                }
                return measured;
            }
        }
    }
}
