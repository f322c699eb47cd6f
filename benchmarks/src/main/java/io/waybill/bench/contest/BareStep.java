package io.waybill.bench.contest;

import io.waybill.Event;
import io.waybill.envelope.Envelope;
import io.waybill.transport.Message;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A batch of a bare loop. The caller commits. */
enum BareStep {
    /** Updates the state of rows. */
    UPDATE {
        @Override
        int run(Connection connection, int batch, Send send, Flush flush) throws Exception {
            DatabaseKind base = DatabaseKind.of(connection.getMetaData().getURL());
            List<String> ids = new ArrayList<>(batch);
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT id, aggregate_id, payload " + DUE + base.lock())) {
                select.setInt(1, batch);
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        ids.add(row.getString(1));
                        send.payload(row.getString(2), row.getString(3));
                    }
                }
            }
            if (!ids.isEmpty()) {
                flush.run();
                try (PreparedStatement update = connection.prepareStatement(
                        "UPDATE events SET status = 'PUBLISHED', processed_at = now() WHERE id "
                                + base.within(ids.size()))) {
                    base.bindIds(update, ids);
                    update.executeUpdate();
                }
            }
            return ids.size();
        }
    },
    /** Deletes rows. */
    DELETE {
        @Override
        int run(Connection connection, int batch, Send send, Flush flush) throws Exception {
            DatabaseKind base = DatabaseKind.of(connection.getMetaData().getURL());
            try (PreparedStatement delete =
                    connection.prepareStatement("DELETE FROM events WHERE id = ANY (ARRAY(SELECT id " + DUE
                            + base.lock() + ")) RETURNING aggregate_id, payload")) {
                delete.setInt(1, batch);
                int moved = 0;
                try (ResultSet row = delete.executeQuery()) {
                    while (row.next()) {
                        send.payload(row.getString(1), row.getString(2));
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
    /** Advances a position. Loses rows that commit after a later row was read, so it is correct only without concurrent writers. */
    CURSOR {
        @Override
        int run(Connection connection, int batch, Send send, Flush flush) throws Exception {
            return alongSequence(connection, batch, flush, "aggregate_id, payload", row -> {
                send.payload(row.getString(2), row.getString(3));
            });
        }
    },
    /** Advances a position and sends Waybill's record, which shows the cost of the envelope. */
    ENVELOPE {
        @Override
        int run(Connection connection, int batch, Send send, Flush flush) throws Exception {
            String columns = "id, event_type, aggregate_type, aggregate_id, payload, occurred_at";
            return alongSequence(connection, batch, flush, columns, row -> {
                Event event = Event.builder(row.getString(3), row.getString(4), row.getString(5))
                        .id(row.getObject(2, UUID.class))
                        .payload(row.getString(6))
                        .occurredAt(row.getObject(7, OffsetDateTime.class).toInstant())
                        .restore();
                send.message(STANDARD.seal(event));
            });
        }
    };

    private static final Envelope STANDARD = Envelope.standard("waybill");

    private interface Each {
        void accept(ResultSet row) throws Exception;
    }

    private static int alongSequence(Connection connection, int batch, Flush flush, String columns, Each each)
            throws Exception {
        int moved = 0;
        long last = 0;
        try (PreparedStatement select = connection.prepareStatement("SELECT seq, " + columns + " FROM events"
                + " WHERE seq > (SELECT seq FROM position WHERE id = 1) ORDER BY seq LIMIT ?")) {
            select.setInt(1, batch);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    last = row.getLong(1);
                    each.accept(row);
                    moved++;
                }
            }
        }
        if (moved > 0) {
            flush.run();
            try (PreparedStatement update = connection.prepareStatement("UPDATE position SET seq = ? WHERE id = 1")) {
                update.setLong(1, last);
                update.executeUpdate();
            }
        }
        return moved;
    }

    /** Passes a record to the producer. */
    interface Send {
        void payload(String key, String value) throws Exception;

        void message(Message message) throws Exception;
    }

    /** Waits until all records are acknowledged. Throws if one fails. */
    interface Flush {
        void run() throws Exception;
    }

    /**
     * Not {@code now()}, which in MariaDB has a precision of seconds: a new row would not be due before the next second. Ordered
     * by the single status too, because H2 would otherwise sort all due rows for each batch.
     */
    private static final String DUE = "FROM events WHERE status = 'PENDING' AND next_attempt_at <= current_timestamp(6)"
            + " ORDER BY status, next_attempt_at, seq LIMIT ?";

    abstract int run(Connection connection, int batch, Send send, Flush flush) throws Exception;
}
