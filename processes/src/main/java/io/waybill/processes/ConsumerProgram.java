package io.waybill.processes;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.Event;
import io.waybill.faults.crash.InboxCrash;
import io.waybill.inbox.Handler;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.InboxStore;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.kafka.KafkaInbox;
import io.waybill.retry.RetryPolicy;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A consumer in its own JVM. The arguments are the JDBC URL, the bootstrap servers, the topic, the event type, the group,
 * its name in the group and the batch size. It prints the number of duplicates from time to time.
 */
public final class ConsumerProgram implements InboxListener {
    private static final RetryPolicy QUICK = new RetryPolicy(3, Duration.ofMillis(50), Duration.ofMillis(100));

    private final AtomicLong duplicates = new AtomicLong();

    private ConsumerProgram() {}

    public static void main(String[] arguments) throws IOException {
        Commands.logAsAsked();
        Optional<InboxCrash> crash = InboxCrash.requested();
        HikariDataSource pool = Outboxes.pool(arguments[0], 8);
        InboxStore<Connection> tables = JdbcInbox.on(pool).store();
        InboxStore<Connection> store = crash.map(c -> c.store(tables)).orElse(tables);
        Handler<Connection> plain = Effects.failing(pool, arguments[4]);
        Handler<Connection> handler = crash.map(c -> c.handler(plain)).orElse(plain);
        Inbox<Connection> inbox = Inbox.builder(store, arguments[4])
                .on(arguments[3], handler)
                .deadLettersTo(JdbcOutbox.create())
                .retry(QUICK)
                .listener(new ConsumerProgram())
                .build();
        // With a fixed instance id, a successor gets the partitions at once. Otherwise it would wait until the session
        // expires.
        KafkaInbox consumer = KafkaInbox.builder(arguments[1], inbox)
                .topics(arguments[2])
                .batchSize(Integer.parseInt(arguments[6]))
                .setting("group.instance.id", arguments[5])
                .setting("session.timeout.ms", 6_000)
                .setting("heartbeat.interval.ms", 1_500)
                .setting("metadata.max.age.ms", 1_000)
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            consumer.close();
            Commands.say("stopped");
        }));
        consumer.start();
        Commands.say("started");
        Commands.obey(Map.of());
    }

    @Override
    public void handled(Event event, InboxOutcome outcome, Duration took) {
        if (outcome == InboxOutcome.DUPLICATE) {
            Commands.say("duplicates " + duplicates.incrementAndGet());
        }
    }
}
