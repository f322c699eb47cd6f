package io.waybill.peers.modulith;

import io.waybill.bench.load.Entry;
import io.waybill.bench.peer.Peer;
import java.util.List;
import java.util.Map;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring Modulith's event publication registry on JDBC, externalized to Kafka; a backlog is resubmitted. */
public final class ModulithPeer implements Peer {
    static final int THREADS = 32;

    private ConfigurableApplicationContext context;
    private TransactionTemplate transaction;
    private IncompleteEventPublications incomplete;
    private GatedExecutor executor;
    private JdbcTemplate jdbc;
    private Thread resubmission;

    @Override
    public void open(String jdbcUrl, String bootstrap, String topic) {
        context = new SpringApplicationBuilder(ModulithApplication.class)
                .properties(Map.of(
                        "spring.datasource.url",
                        jdbcUrl,
                        "spring.datasource.hikari.maximum-pool-size",
                        THREADS + 6,
                        "spring.kafka.bootstrap-servers",
                        bootstrap,
                        "spring.main.web-application-type",
                        "none",
                        "spring.main.banner-mode",
                        "off",
                        "logging.level.root",
                        "WARN",
                        "spring.modulith.events.jdbc.schema-initialization.enabled",
                        true,
                        "spring.modulith.events.completion-mode",
                        "delete",
                        "bench.topic",
                        topic))
                .run();
        transaction = context.getBean(TransactionTemplate.class);
        incomplete = context.getBean(IncompleteEventPublications.class);
        executor = context.getBean(GatedExecutor.class);
        jdbc = context.getBean(JdbcTemplate.class);
    }

    @Override
    public void append(List<Entry> entries) {
        transaction.executeWithoutResult(status -> {
            for (Entry entry : entries) {
                context.publishEvent(new Order(entry.key(), entry.payload()));
            }
        });
    }

    @Override
    public void start() {
        executor.open(true);
        resubmission = new Thread(() -> incomplete.resubmitIncompletePublications(publication -> true));
        resubmission.start();
    }

    @Override
    public void stop() throws InterruptedException {
        resubmission.join();
        executor.open(false);
    }

    @Override
    public long remaining() {
        return jdbc.queryForObject("SELECT count(*) FROM event_publication WHERE completion_date IS NULL", Long.class);
    }

    @Override
    public boolean ordered() {
        return false;
    }

    @Override
    public void close() {
        context.close();
    }
}
