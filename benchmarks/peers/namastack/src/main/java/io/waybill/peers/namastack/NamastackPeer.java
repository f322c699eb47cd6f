package io.waybill.peers.namastack;

import io.namastack.outbox.Outbox;
import io.namastack.outbox.OutboxProcessingScheduler;
import io.waybill.bench.load.Entry;
import io.waybill.bench.peer.Peer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** namastack-outbox with its JDBC starter, one instance. */
public final class NamastackPeer implements Peer {
    private ConfigurableApplicationContext context;
    private Outbox outbox;
    private TransactionTemplate transaction;
    private OutboxProcessingScheduler scheduler;
    private JdbcTemplate jdbc;

    @Override
    public void open(String jdbcUrl, String bootstrap, String topic) throws Exception {
        Map<String, Object> spring = Map.of(
                "spring.datasource.url",
                jdbcUrl,
                "spring.datasource.hikari.maximum-pool-size",
                36,
                "spring.kafka.bootstrap-servers",
                bootstrap,
                "spring.main.web-application-type",
                "none",
                "spring.main.banner-mode",
                "off",
                "spring.threads.virtual.enabled",
                true,
                "logging.level.root",
                "WARN",
                "bench.topic",
                topic);
        Map<String, Object> own = Map.of(
                "namastack.outbox.polling.trigger",
                "fixed",
                "namastack.outbox.polling.batch-size",
                800,
                "namastack.outbox.polling.fixed.interval",
                "25ms",
                "namastack.outbox.processing.executor-concurrency-limit",
                30,
                "namastack.outbox.processing.executor-core-pool-size",
                30,
                "namastack.outbox.processing.executor-max-pool-size",
                30,
                "namastack.outbox.jdbc.schema-initialization.enabled",
                true,
                "namastack.outbox.instance.heartbeat-interval",
                "1s",
                "namastack.outbox.instance.stale-instance-timeout",
                "10s",
                "namastack.outbox.instance.rebalance-interval",
                "1s");
        context = new SpringApplicationBuilder(NamastackApplication.class)
                .properties(spring)
                .properties(own)
                .run();
        outbox = context.getBean(Outbox.class);
        transaction = context.getBean(TransactionTemplate.class);
        scheduler = context.getBean(OutboxProcessingScheduler.class);
        jdbc = context.getBean(JdbcTemplate.class);
        scheduler.stop();
        TimeUnit.SECONDS.sleep(3); // until the instance has acquired all partitions
    }

    @Override
    public void append(List<Entry> entries) {
        transaction.executeWithoutResult(status -> {
            for (Entry entry : entries) {
                outbox.schedule(new Order(entry.key(), entry.payload()), entry.key());
            }
        });
    }

    @Override
    public void start() {
        scheduler.start();
    }

    @Override
    public void stop() {
        scheduler.stop();
    }

    @Override
    public long remaining() {
        return jdbc.queryForObject("SELECT count(*) FROM outbox_record WHERE status <> 'COMPLETED'", Long.class);
    }

    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public void close() {
        context.close();
    }
}
