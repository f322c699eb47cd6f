package io.waybill.acceptance.relay;

import io.waybill.Event;
import io.waybill.acceptance.Scenario;
import io.waybill.faults.history.History;
import io.waybill.faults.history.History.Result;
import io.waybill.faults.history.Ledger;
import io.waybill.faults.history.Written;
import io.waybill.jdbc.JdbcOutbox;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A transaction with many events. */
final class LargeTransaction implements AutoCloseable {
    private static final int CHUNK = 5_000;

    private final Connection connection;
    private final History history;
    private final String topic;
    private final List<Written> events = new ArrayList<>();

    private LargeTransaction(Scenario scenario, History history) throws SQLException {
        this.connection = DriverManager.getConnection(scenario.jdbcUrl() + "&reWriteBatchedInserts=true");
        this.connection.setAutoCommit(false);
        this.history = history;
        this.topic = scenario.topic();
    }

    static LargeTransaction begin(Scenario scenario, History history) throws SQLException {
        return new LargeTransaction(scenario, history);
    }

    /** Assigns the transaction id before the first write. */
    LargeTransaction number() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_current_xact_id()");
        }
        return this;
    }

    /** Appends this many events to each of the keys {@code prefix + 1}, {@code prefix + 2} and so on, alternating between the keys. */
    LargeTransaction append(String prefix, int keys, int eventsEach) throws SQLException {
        long[] before = new long[keys + 1];
        for (int key = 1; key <= keys; key++) {
            before[key] = Ledger.lock(connection, prefix + key);
        }
        List<Written> more = new ArrayList<>();
        for (int i = 1; i <= eventsEach; i++) {
            for (int key = 1; key <= keys; key++) {
                more.add(Written.of(topic, prefix + key, before[key] + i, "bulk", Map.of()));
            }
        }
        for (int from = 0; from < more.size(); from += CHUNK) {
            JdbcOutbox.create()
                    .append(
                            connection,
                            more.subList(from, Math.min(from + CHUNK, more.size())).stream()
                                    .map(LargeTransaction::event)
                                    .toList());
        }
        Ledger.record(connection, more);
        more.forEach(history::invoke);
        events.addAll(more);
        return this;
    }

    private static Event event(Written event) {
        return Event.builder(event.type(), "Account", event.key())
                .id(event.id())
                .payload(event.payload())
                .build();
    }

    void commit() throws SQLException {
        connection.commit();
        history.tell(events, Result.OK);
    }

    void rollback() throws SQLException {
        connection.rollback();
        history.tell(events, Result.FAIL);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
