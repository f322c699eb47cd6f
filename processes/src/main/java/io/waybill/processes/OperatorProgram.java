package io.waybill.processes;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.faults.database.BeforeCommitDataSource;
import io.waybill.jdbc.Engine;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An operator's command in its own JVM. The arguments are the JDBC URL and the engine. It tries to discard events that are
 * no dead letters, so its transaction locks the lanes of these events and changes nothing. It prints {@link #HOLDING} before it
 * commits, and commits when it reads the line {@code commit}.
 */
public final class OperatorProgram {
    /** The line that is printed when the locks are held. */
    public static final String HOLDING = "holding";

    private static final int EVENTS = 20;

    private OperatorProgram() {}

    public static void main(String[] arguments) throws IOException {
        Commands.logAsAsked();
        CountDownLatch commit = new CountDownLatch(1);
        AtomicBoolean held = new AtomicBoolean();
        HikariDataSource pool = Outboxes.pool(arguments[0], 1);
        DeadLetters letters = Outboxes.deadLetters(Engine.valueOf(arguments[1]), BeforeCommitDataSource.of(pool, () -> {
            held.set(true);
            Commands.say(HOLDING);
            commit.await();
        }));
        Thread operator = new Thread(() -> operate(pool, letters, held), "operator");
        operator.setDaemon(true);
        operator.start();
        Commands.obey(Map.of("commit", nothing -> commit.countDown()));
    }

    /** Retries until the locks were held once, because a busy database may refuse a connection. */
    private static void operate(HikariDataSource pool, DeadLetters letters, AtomicBoolean held) {
        while (!held.get()) {
            try {
                List<UUID> discarded = letters.discard(someEvents(pool), new Decision("chaos", "holds locks"));
                Commands.say("discarded " + discarded.size());
            } catch (SQLException | RuntimeException e) {
                Commands.say("failed: " + e); // the database may have ended the frozen transaction
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static List<UUID> someEvents(HikariDataSource pool) throws SQLException {
        List<UUID> events = new ArrayList<>();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id FROM outbox_events LIMIT " + EVENTS)) {
            while (row.next()) {
                events.add(row.getObject(1, UUID.class));
            }
        }
        return events;
    }
}
