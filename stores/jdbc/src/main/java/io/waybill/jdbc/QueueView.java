package io.waybill.jdbc;

import io.waybill.operate.AuditEntry;
import io.waybill.operate.EventFilter;
import io.waybill.operate.EventRecord;
import io.waybill.operate.EventState;
import io.waybill.operate.OutboxView;
import io.waybill.operate.Status;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads the queue engine's tables for people; every query follows an index and is bounded. */
final class QueueView implements OutboxView {
    private static final String RECORD = "SELECT " + EventRows.COLUMNS
            + ", e.state, outbox_lane(e.aggregate_id), e.seq, e.retry_count, e.created_at, e.next_attempt_at, e.last_error, e.locked_by,"
            + " e.locked_until, coalesce(e.dead_at, e.processed_at), " + EventSearch.CLAIMED_BY
            + ", (SELECT l.expires_at FROM outbox_lanes l WHERE l.lane = outbox_lane(e.aggregate_id))";

    /** Counts come from the partial indexes on open events. */
    private static final String COUNTS = """
            SELECT clock_timestamp(),
                (SELECT count(*) FROM outbox_events WHERE processed_at IS NULL AND next_attempt_at IS NULL),
                (SELECT count(*) FROM outbox_claims c JOIN outbox_lanes l ON l.lane = c.lane
                 JOIN outbox_events e ON outbox_lane(e.aggregate_id) = c.lane AND e.seq BETWEEN c.low AND c.high
                 WHERE e.processed_at IS NULL AND e.next_attempt_at IS NULL AND l.expires_at > now()),
                h.claimed, h.retrying, h.parked, h.blocked, d.dead,
                coalesce(greatest(0, extract(epoch FROM clock_timestamp() - least(h.oldest, (
                    SELECT min(f.created_at) FROM outbox_lanes l CROSS JOIN LATERAL (
                        SELECT e.created_at FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l.lane AND e.processed_at IS NULL
                        AND e.next_attempt_at IS NULL ORDER BY e.seq LIMIT 1) f))))::float8, 0)
            FROM (SELECT count(*) FILTER (WHERE state = 'CLAIMED') AS claimed,
                         count(*) FILTER (WHERE state = 'PENDING') AS retrying,
                         count(*) FILTER (WHERE state = 'PARKED') AS parked,
                         count(DISTINCT aggregate_id) FILTER (WHERE state <> 'PARKED') AS blocked,
                         min(created_at) FILTER (WHERE state <> 'DEAD_LETTER') AS oldest
                  FROM outbox_events WHERE processed_at IS NULL AND next_attempt_at IS NOT NULL) h,
                 (SELECT count(*) AS dead FROM outbox_events WHERE dead_at IS NOT NULL) d""";

    private static final String RELAYS = """
            SELECT r.name, r.place, r.version, r.started_at,
                   extract(epoch FROM clock_timestamp() - r.heartbeat_at)::float8, r.expires_at > clock_timestamp(),
                   (SELECT count(*) FROM outbox_lanes l WHERE l.owner = r.name AND l.expires_at > clock_timestamp()),
                   r.published_total, r.published_per_second
            FROM outbox_relays r ORDER BY r.name""";

    private static final String LANES = """
            SELECT l.lane, CASE WHEN l.expires_at > clock_timestamp() THEN coalesce(l.owner, '') ELSE '' END, l.fence,
                   extract(epoch FROM l.expires_at - clock_timestamp())::float8,
                   EXISTS (SELECT 1 FROM outbox_events e WHERE outbox_lane(e.aggregate_id) = l.lane AND e.processed_at IS NULL
                           AND e.next_attempt_at IS NULL)
            FROM outbox_lanes l ORDER BY l.lane""";

    private static final String HISTORY = """
            SELECT a.id, a.at, a.actor, a.action, a.reason, a.events
            FROM outbox_audit_events x JOIN outbox_audit a ON a.id = x.audit_id WHERE x.event_id = ? ORDER BY a.id""";

    private final Database database;

    QueueView(Database database) {
        this.database = database;
    }

    @Override
    public Status status() {
        return database.transaction("read the status of the outbox", connection -> {
            List<Status.RelayStatus> relays = relays(connection);
            List<Status.LaneStatus> lanes = lanes(connection);
            double rate = relays.stream()
                    .filter(Status.RelayStatus::live)
                    .mapToDouble(Status.RelayStatus::publishedPerSecond)
                    .sum();
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(COUNTS)) {
                row.next();
                long waiting = row.getLong(2);
                long retryClaimed = row.getLong(4);
                long retrying = row.getLong(5);
                long parked = row.getLong(6);
                return new Status(
                        row.getObject(1, OffsetDateTime.class).toInstant(),
                        waiting + retryClaimed + retrying + parked,
                        row.getLong(3) + retryClaimed,
                        retrying,
                        parked,
                        row.getLong(7),
                        row.getLong(8),
                        seconds(row.getDouble(9)),
                        rate,
                        relays,
                        lanes);
            }
        });
    }

    private static List<Status.RelayStatus> relays(Connection connection) throws SQLException {
        List<Status.RelayStatus> relays = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(RELAYS)) {
            while (row.next()) {
                relays.add(new Status.RelayStatus(
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        row.getObject(4, OffsetDateTime.class).toInstant(),
                        seconds(row.getDouble(5)),
                        row.getBoolean(6),
                        row.getInt(7),
                        row.getLong(8),
                        row.getDouble(9)));
            }
        }
        return List.copyOf(relays);
    }

    private static List<Status.LaneStatus> lanes(Connection connection) throws SQLException {
        List<Status.LaneStatus> lanes = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(LANES)) {
            while (row.next()) {
                lanes.add(new Status.LaneStatus(
                        row.getInt(1), row.getString(2), row.getLong(3), seconds(row.getDouble(4)), row.getBoolean(5)));
            }
        }
        return List.copyOf(lanes);
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1_000));
    }

    @Override
    public List<EventRecord> events(EventFilter filter, int limit) {
        return database.transaction("list events", connection -> records(connection, filter, limit));
    }

    List<EventRecord> records(Connection connection, EventFilter filter, int limit) throws SQLException {
        int most = Math.max(1, Math.min(limit, LARGEST_PAGE));
        List<EventRecord> found = new ArrayList<>();
        for (String source : EventSearch.sources(filter)) {
            if (found.size() < most) {
                EventSearch search = new EventSearch(RECORD, source, filter, most - found.size());
                try (PreparedStatement query = search.prepare(connection);
                        ResultSet rows = query.executeQuery()) {
                    while (rows.next()) {
                        found.add(record(rows));
                    }
                }
            }
        }
        return List.copyOf(found);
    }

    @Override
    public Optional<EventRecord> event(UUID id) {
        return database.transaction("show event " + id, connection -> {
            try (PreparedStatement query =
                    connection.prepareStatement(RECORD + " FROM outbox_events e WHERE e.id = ?")) {
                query.setObject(1, id);
                try (ResultSet row = query.executeQuery()) {
                    return row.next() ? Optional.of(record(row)) : Optional.empty();
                }
            }
        });
    }

    @Override
    public List<AuditEntry> history(UUID id) {
        return database.transaction("read what was done to event " + id, connection -> {
            List<AuditEntry> entries = new ArrayList<>();
            try (PreparedStatement query = connection.prepareStatement(HISTORY)) {
                query.setObject(1, id);
                try (ResultSet row = query.executeQuery()) {
                    while (row.next()) {
                        Instant at = row.getObject(2, OffsetDateTime.class).toInstant();
                        entries.add(new AuditEntry(
                                row.getLong(1),
                                at,
                                row.getString(3),
                                row.getString(4),
                                row.getString(5),
                                row.getInt(6)));
                    }
                }
            }
            return List.copyOf(entries);
        });
    }

    private static EventRecord record(ResultSet row) throws SQLException {
        int c = EventRows.COUNT;
        String claimedBy = row.getString(c + 11);
        return new EventRecord(
                EventRows.event(row),
                claimedBy == null ? EventState.valueOf(row.getString(c + 1)) : EventState.CLAIMED,
                row.getInt(c + 2),
                row.getLong(c + 3),
                row.getInt(c + 4),
                row.getObject(c + 5, OffsetDateTime.class).toInstant(),
                EventRows.instant(row, c + 6),
                row.getString(c + 7),
                claimedBy == null ? row.getString(c + 8) : claimedBy,
                EventRows.instant(row, claimedBy == null ? c + 9 : c + 12),
                EventRows.instant(row, c + 10));
    }
}
