package io.waybill.bench.contest;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;

/** One batch of a bare loop; the caller commits. */
enum BareStep {
    /** Rows change their state. */
    UPDATE {
        @Override
        int run(Connection connection, int batch, BiConsumer<String, String> send, Flush flush) throws Exception {
            List<UUID> ids = new ArrayList<>(batch);
            try (PreparedStatement select = connection.prepareStatement("SELECT id, aggregate_id, payload " + DUE)) {
                select.setInt(1, batch);
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        ids.add(row.getObject(1, UUID.class));
                        send.accept(row.getString(2), row.getString(3));
                    }
                }
            }
            if (!ids.isEmpty()) {
                flush.run();
                try (PreparedStatement update = connection.prepareStatement(
                        "UPDATE events SET status = 'PUBLISHED', processed_at = now() WHERE id = ANY (?)")) {
                    update.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
                    update.executeUpdate();
                }
            }
            return ids.size();
        }
    },
    /** Rows go away. */
    DELETE {
        @Override
        int run(Connection connection, int batch, BiConsumer<String, String> send, Flush flush) throws Exception {
            try (PreparedStatement delete =
                    connection.prepareStatement("DELETE FROM events WHERE id = ANY (ARRAY(SELECT id " + DUE
                            + ")) RETURNING aggregate_id, payload")) {
                delete.setInt(1, batch);
                int moved = 0;
                try (ResultSet row = delete.executeQuery()) {
                    while (row.next()) {
                        send.accept(row.getString(1), row.getString(2));
                        moved++;
                    }
                }
                if (moved > 0) {
                    flush.run();
                }
                return moved;
            }
        }
    },
    /** A position moves. Loses what commits after a later row was read: right only when nobody writes. */
    CURSOR {
        @Override
        int run(Connection connection, int batch, BiConsumer<String, String> send, Flush flush) throws Exception {
            int moved = 0;
            long last = 0;
            try (PreparedStatement select = connection.prepareStatement("SELECT seq, aggregate_id, payload FROM events"
                    + " WHERE seq > (SELECT seq FROM position WHERE id = 1) ORDER BY seq LIMIT ?")) {
                select.setInt(1, batch);
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        last = row.getLong(1);
                        send.accept(row.getString(2), row.getString(3));
                        moved++;
                    }
                }
            }
            if (moved > 0) {
                flush.run();
                move(connection, last);
            }
            return moved;
        }

        private void move(Connection connection, long last) throws SQLException {
            try (PreparedStatement update = connection.prepareStatement("UPDATE position SET seq = ? WHERE id = 1")) {
                update.setLong(1, last);
                update.executeUpdate();
            }
        }
    };

    /** Waits until everything is acknowledged, or throws. */
    interface Flush {
        void run() throws Exception;
    }

    private static final String DUE = "FROM events WHERE status = 'PENDING' AND next_attempt_at <= now()"
            + " ORDER BY next_attempt_at, seq LIMIT ? FOR UPDATE SKIP LOCKED";

    abstract int run(Connection connection, int batch, BiConsumer<String, String> send, Flush flush) throws Exception;
}
