package io.waybill.jdbc.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.internal.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The value of the sequence is never read too high: an event with a lower number, written by a later transaction, would never be
 * published. PostgreSQL logs a sequence 32 numbers ahead, and while it does so the row of the sequence holds that number; a
 * SELECT from the sequence can see it.
 */
class JournalSequenceTest extends JournalLane {
    private static final String DRAW =
            "SELECT count(nextval('outbox_events_seq_seq')) FROM generate_series(1, 1000000)";

    /** The second number is read after the first, so it is at least as high. */
    private static final String LOOK =
            "SELECT (" + Cursor.SEQUENCE + "), pg_sequence_last_value('outbox_events_seq_seq')";

    @Test
    void theSequenceIsNeverReadTooHigh() throws SQLException {
        CompletableFuture<String> writer = CompletableFuture.supplyAsync(() -> backend.query(DRAW));
        try (Connection connection = backend.dataSource().getConnection()) {
            int looks = 0;
            while (!writer.isDone()) {
                long ahead = Sql.on(connection).query(LOOK, row -> row.next() ? row.getLong(1) - row.getLong(2) : 0);
                assertThat(ahead).as("at read %d", ++looks).isNotPositive();
            }
        }
        assertThat(writer.join()).isEqualTo("1000000");
    }
}
