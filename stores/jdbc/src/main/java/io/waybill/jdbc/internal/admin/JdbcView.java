package io.waybill.jdbc.internal.admin;

import io.waybill.admin.AuditEntry;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Reads an engine's tables for people; lists follow an index and are bounded. */
public final class JdbcView implements OutboxView {
    /** Looks the state of each event up, never the other way round, however many the planner expects. */
    private static final String RECORD = "SELECT " + EventRows.COLUMNS
            + ", s.state, s.lane, e.seq, s.retry_count, e.created_at, s.next_attempt_at, s.last_error, s.locked_by,"
            + " s.locked_until, s.processed_at FROM (%s) e"
            + " CROSS JOIN LATERAL (SELECT * FROM outbox_states WHERE id = e.id OFFSET 0) s";

    /** A relay that ended without a word is shown as gone for a while, then no more. */
    private static final String RELAYS = """
            SELECT r.name, r.place, r.version, r.started_at,
                   extract(epoch FROM clock_timestamp() - r.heartbeat_at), r.expires_at > clock_timestamp(), r.serving,
                   (SELECT count(*) FROM outbox_lanes l WHERE l.owner = r.name AND l.expires_at > clock_timestamp()),
                   r.published_total, CASE WHEN r.expires_at > clock_timestamp() THEN r.published_per_second ELSE 0 END
            FROM outbox_relays r WHERE r.expires_at > clock_timestamp() - interval '10' minute ORDER BY r.name""";

    private static final String LANES = """
            SELECT o.lane, CASE WHEN o.expires_at > clock_timestamp() THEN coalesce(o.owner, '') ELSE '' END, o.fence,
                   extract(epoch FROM o.expires_at - clock_timestamp()),
                   o.oldest IS NOT NULL,
                   coalesce(greatest(0, extract(epoch FROM clock_timestamp() - o.oldest)), 0)
            FROM (SELECT l.lane, l.owner, l.fence, l.expires_at, (%s) AS oldest FROM outbox_lanes l) o ORDER BY o.lane""";

    private static final String HISTORY = """
            SELECT a.id, a.at, a.actor, a.action, a.reason, a.events
            FROM outbox_audit_events x JOIN outbox_audit a ON a.id = x.audit_id WHERE x.event_id = ? ORDER BY a.id""";

    private final Transactions database;
    private final ViewQueries queries;

    public JdbcView(Transactions database, ViewQueries queries) {
        this.database = database;
        this.queries = queries;
    }

    @Override
    public OutboxStatus status() {
        return database.transaction("read the status of the outbox", connection -> {
            Dialect.of(connection).refuseHiddenRows(connection);
            List<OutboxStatus.RelayStatus> relays = relays(connection);
            List<OutboxStatus.LaneStatus> lanes = lanes(connection);
            double rate = relays.stream()
                    .filter(OutboxStatus.RelayStatus::live)
                    .mapToDouble(OutboxStatus.RelayStatus::publishedPerSecond)
                    .sum();
            Sql sql = Sql.on(connection);
            return sql.query(queries.counts(), row -> {
                row.next();
                long waiting = row.getLong(2);
                long retryClaimed = row.getLong(4);
                long retrying = row.getLong(5);
                long due = row.getLong(6);
                long parked = row.getLong(7);
                return new OutboxStatus(
                        EventRows.time(sql.dialect(), row, 1),
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
            });
        });
    }

    private static List<OutboxStatus.RelayStatus> relays(Connection connection) throws SQLException {
        Sql sql = Sql.on(connection);
        return sql.query(RELAYS, row -> {
            List<OutboxStatus.RelayStatus> relays = new ArrayList<>();
            while (row.next()) {
                relays.add(new OutboxStatus.RelayStatus(
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        EventRows.time(sql.dialect(), row, 4),
                        seconds(row.getDouble(5)),
                        row.getBoolean(6),
                        row.getBoolean(7),
                        row.getInt(8),
                        row.getLong(9),
                        row.getDouble(10)));
            }
            return List.copyOf(relays);
        });
    }

    private List<OutboxStatus.LaneStatus> lanes(Connection connection) throws SQLException {
        return Sql.on(connection).query(LANES.formatted(queries.oldestInLane()), row -> {
            List<OutboxStatus.LaneStatus> lanes = new ArrayList<>();
            while (row.next()) {
                lanes.add(new OutboxStatus.LaneStatus(
                        row.getInt(1),
                        row.getString(2),
                        row.getLong(3),
                        seconds(row.getDouble(4)),
                        row.getBoolean(5),
                        seconds(row.getDouble(6))));
            }
            return List.copyOf(lanes);
        });
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1_000));
    }

    @Override
    public List<EventRecord> events(EventFilter filter, int limit) {
        return database.transaction("list events", connection -> records(connection, filter, limit));
    }

    private List<EventRecord> records(Connection connection, EventFilter filter, int limit) throws SQLException {
        Sql sql = Sql.on(connection);
        sql.dialect().refuseHiddenRows(connection);
        int most = Math.max(1, Math.min(limit, LARGEST_PAGE));
        List<EventRecord> found = new ArrayList<>();
        for (ViewQueries.Source source : queries.sources(filter)) {
            if (found.size() < most) {
                EventSearch search = new EventSearch(RECORD, source, queries.state(), filter, most - found.size());
                sql.query(
                        search.sql(),
                        rows -> {
                            while (rows.next()) {
                                found.add(record(sql.dialect(), rows));
                            }
                            return found;
                        },
                        search.values());
            }
        }
        return List.copyOf(found);
    }

    @Override
    public Optional<EventRecord> event(UUID id) {
        return database.transaction("show event " + id, connection -> {
            Sql sql = Sql.on(connection);
            sql.dialect().refuseHiddenRows(connection);
            return sql.query(
                    RECORD.formatted("SELECT * FROM outbox_events WHERE id = ?"),
                    row -> row.next() ? Optional.of(record(sql.dialect(), row)) : Optional.empty(),
                    id);
        });
    }

    @Override
    public List<AuditEntry> history(UUID id) {
        return database.transaction("read what was done to event " + id, connection -> {
            Sql sql = Sql.on(connection);
            return sql.query(HISTORY, row -> AuditRows.read(sql.dialect(), row), id);
        });
    }

    private static EventRecord record(Dialect dialect, ResultSet row) throws SQLException {
        int c = EventRows.COUNT;
        return new EventRecord(
                EventRows.event(dialect, row),
                EventState.valueOf(row.getString(c + 1)),
                row.getInt(c + 2),
                row.getLong(c + 3),
                row.getInt(c + 4),
                EventRows.time(dialect, row, c + 5),
                EventRows.instant(dialect, row, c + 6),
                row.getString(c + 7),
                row.getString(c + 8),
                EventRows.instant(dialect, row, c + 9),
                EventRows.instant(dialect, row, c + 10));
    }
}
