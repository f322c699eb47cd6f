package io.waybill.acceptance;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.Event;
import io.waybill.inbox.Handler;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.Outcome;
import io.waybill.inbox.PermanentException;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.PostgresInbox;
import io.waybill.kafka.KafkaInbox;
import io.waybill.testkit.inbox.InboxCrash;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * A consumer in a JVM of its own; its arguments are the JDBC URL, the bootstrap servers, the topic, the group and the batch size.
 * Ends when its standard input does: no orphan stays. Says now and then how many duplicates it has met.
 */
final class ConsumerProgram implements InboxListener {
    private final AtomicLong duplicates = new AtomicLong();

    private ConsumerProgram() {}

    public static void main(String[] arguments) throws IOException {
        Optional<InboxCrash> crash = InboxCrash.requested();
        HikariDataSource pool = Scenario.pool(arguments[0], 8);
        InboxStore<Connection> tables = PostgresInbox.on(pool).store();
        InboxStore<Connection> store = crash.map(c -> c.store(tables)).orElse(tables);
        Handler<Connection> plain = moody(pool, arguments[3]);
        Handler<Connection> handler = crash.map(c -> c.handler(plain)).orElse(plain);
        ConsumerProgram program = new ConsumerProgram();
        Inbox<Connection> inbox = Inbox.builder(store, arguments[3])
                .on(InboxScenario.TYPE, handler)
                .deadLettersTo(JdbcOutbox.create())
                .retry(InboxScenario.QUICK)
                .listener(program)
                .build();
        // A fixed instance id: a successor under the same one gets the partitions at once, not when the session has run
        // out.
        KafkaInbox consumer = KafkaInbox.builder(arguments[1], inbox)
                .topics(arguments[2])
                .batchSize(Integer.parseInt(arguments[4]))
                .setting("group.instance.id", "consumer")
                .setting("metadata.max.age.ms", 1_000)
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            consumer.close();
            program.say("stopped");
        }));
        consumer.start();
        program.say("started");
        while (System.in.read() >= 0) {
            // only the end matters
        }
        Runtime.getRuntime().halt(1);
    }

    /** Every fifth number fails at its first attempt, every ninth always. */
    static Handler<Connection> moody(DataSource other, String group) {
        Handler<Connection> ledger = InboxScenario.ledger(group);
        return (event, connection) -> {
            ledger.handle(event, connection);
            long n = Long.parseLong(event.payload());
            if (n < 0 && -n % 9 == 0) {
                throw new PermanentException("Number " + n + " is hopeless");
            }
            if (n < 0 && -n % 5 == 0 && first(other, group, event)) {
                throw new IllegalStateException("Number " + n + " fails at first");
            }
        };
    }

    private static boolean first(DataSource other, String group, Event event) throws SQLException {
        try (Connection connection = other.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO tried (event_id, grp) VALUES (?, ?) ON CONFLICT DO NOTHING")) {
            insert.setObject(1, event.id());
            insert.setString(2, group);
            return insert.executeUpdate() == 1;
        }
    }

    @Override
    public void handled(Event event, Outcome outcome, Duration took) {
        if (outcome == Outcome.DUPLICATE) {
            say("duplicates " + duplicates.incrementAndGet());
        }
    }

    private synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
