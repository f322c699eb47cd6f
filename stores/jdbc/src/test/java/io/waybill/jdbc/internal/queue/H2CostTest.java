package io.waybill.jdbc.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.H2Database;
import io.waybill.jdbc.JdbcBackend;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The frequent statements of the queue engine read neither published events nor the backlog behind the batch. H2 counts the rows. */
class H2CostTest {
    private static final int ROWS = 4_000;
    private static final int BATCH = 20;

    private static final Pattern SCANNED = Pattern.compile("scanCount: (\\d+)");

    private JdbcBackend backend;

    @BeforeEach
    void fill() {
        backend = JdbcBackend.queue(H2Database.fresh());
        for (String processed : List.of("NULL", "now()")) {
            backend.execute(
                    "INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload, processed_at)"
                            + " SELECT 'A', 'k' || x, 't', '1', " + processed + " FROM system_range(1, " + ROWS + ")");
        }
        backend.execute("UPDATE outbox_lanes SET owner = 'r', fence = 1");
    }

    @AfterEach
    void close() {
        backend.close();
    }

    @Test
    void noStatementReadsPublishedEventsOrTheBacklog() throws SQLException {
        Dialect h2 = DatabaseProduct.H2.dialect();
        QueueStatements statements = QueueStatements.of(h2);
        PendingQuery pending = statements.pending();
        List<Integer> lanes = List.of(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(scanned(statements.ready(), lanes, lanes)).isLessThan(100);
        assertThat(scanned(statements.fence(), List.of(4))).isLessThan(BATCH);
        assertThat(scanned(statements.fence(), lanes)).isLessThan(100);
        for (boolean held : List.of(true, false)) {
            assertThat(scanned(pending.sql(h2, 1, BATCH, held), 4)).isLessThan(BATCH * 4);
            assertThat(scanned(pending.sql(h2, 3, BATCH, held), 4, 5, 6)).isLessThan(BATCH * 12);
        }
        assertThat(scanned(statements.dueLanes(), lanes)).isLessThan(100);
        assertThat(scanned(statements.due, 4, BATCH)).isLessThan(BATCH);
        assertThat(scanned(statements.prune(), 3_600_000L, BATCH)).isLessThan(BATCH * 4);
    }

    private long scanned(String statement, Object... parameters) throws SQLException {
        try (Connection connection = backend.dataSource().getConnection()) {
            Sql sql = Sql.on(connection);
            String explain = "EXPLAIN ANALYZE " + statement;
            return sql.query(
                    explain,
                    row -> {
                        row.next();
                        String plan = row.getString(1);
                        assertThat(plan).contains("scanCount");
                        long rows = 0;
                        for (Matcher scan = SCANNED.matcher(plan); scan.find(); ) {
                            rows += Long.parseLong(scan.group(1));
                        }
                        return rows;
                    },
                    parameters);
        }
    }
}
