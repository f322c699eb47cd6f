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

/** Reads an engine's tables for people; lists follow an index and are bounded. */
final class PostgresView implements OutboxView {
    private static final String RECORD = "SELECT " + EventRows.COLUMNS
            + ", s.state, s.lane, e.seq, s.retry_count, e.created_at, s.next_attempt_at, s.last_error, s.locked_by,"
            + " s.locked_until, s.processed_at FROM (%s) e JOIN outbox_states s ON s.id = e.id";

    private static final String RELAYS = """
            SELECT r.name, r.place, r.version, r.started_at,
                   extract(epoch FROM clock_timestamp() - r.heartbeat_at)::float8, r.expires_at > clock_timestamp(),
                   (SELECT count(*) FROM outbox_lanes l WHERE l.owner = r.name AND l.expires_at > clock_timestamp()),
                   r.published_total, r.published_per_second
            FROM outbox_relays r ORDER BY r.name""";

    private static final String LANES = """
            SELECT l.lane, CASE WHEN l.expires_at > clock_timestamp() THEN coalesce(l.owner, '') ELSE '' END, l.fence,
                   extract(epoch FROM l.expires_at - clock_timestamp())::float8,
                   o.at IS NOT NULL,
                   coalesce(greatest(0, extract(epoch FROM clock_timestamp() - o.at)), 0)::float8
            FROM outbox_lanes l CROSS JOIN LATERAL (SELECT (%s) AS at) o ORDER BY l.lane""";

    private static final String HISTORY = """
            SELECT a.id, a.at, a.actor, a.action, a.reason, a.events
            FROM outbox_audit_events x JOIN outbox_audit a ON a.id = x.audit_id WHERE x.event_id = ? ORDER BY a.id""";

    private final Database database;
    private final ViewQueries queries;

    PostgresView(Database database, ViewQueries queries) {
        this.database = database;
        this.queries = queries;
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
                    ResultSet row = statement.executeQuery(queries.counts())) {
                row.next();
                long waiting = row.getLong(2);
                long retryClaimed = row.getLong(4);
                long retrying = row.getLong(5);
                long due = row.getLong(6);
                long parked = row.getLong(7);
                return new Status(
                        row.getObject(1, OffsetDateTime.class).toInstant(),
                        waiting + retryClaimed + retrying + due + parked,
                        row.getLong(3) + retryClaimed,
                        retrying,
                        parked,
                        row.getLong(8),
                        row.getLong(9),
                        seconds(row.getDouble(10)),
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

    private List<Status.LaneStatus> lanes(Connection connection) throws SQLException {
        List<Status.LaneStatus> lanes = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(LANES.formatted(queries.oldestInLane()))) {
            while (row.next()) {
                lanes.add(new Status.LaneStatus(
                        row.getInt(1),
                        row.getString(2),
                        row.getLong(3),
                        seconds(row.getDouble(4)),
                        row.getBoolean(5),
                        seconds(row.getDouble(6))));
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

    private List<EventRecord> records(Connection connection, EventFilter filter, int limit) throws SQLException {
        int most = Math.max(1, Math.min(limit, LARGEST_PAGE));
        List<EventRecord> found = new ArrayList<>();
        for (ViewQueries.Source source : queries.sources(filter)) {
            if (found.size() < most) {
                EventSearch search = new EventSearch(RECORD, source, queries.state(), filter, most - found.size());
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
                    connection.prepareStatement(RECORD.formatted("SELECT * FROM outbox_events WHERE id = ?"))) {
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
        return new EventRecord(
                EventRows.event(row),
                EventState.valueOf(row.getString(c + 1)),
                row.getInt(c + 2),
                row.getLong(c + 3),
                row.getInt(c + 4),
                row.getObject(c + 5, OffsetDateTime.class).toInstant(),
                EventRows.instant(row, c + 6),
                row.getString(c + 7),
                row.getString(c + 8),
                EventRows.instant(row, c + 9),
                EventRows.instant(row, c + 10));
    }
}
