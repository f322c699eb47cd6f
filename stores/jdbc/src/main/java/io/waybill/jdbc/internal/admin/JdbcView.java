package io.waybill.jdbc.internal.admin;

import io.waybill.admin.AuditEntry;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** Reads an engine's tables for operators. Lists are limited and read along an index. */
public final class JdbcView implements OutboxView {
    private final Transactions database;
    private final Function<Dialect, ViewQueries> engine;

    /** @param engine returns the queries for the engine's tables */
    public JdbcView(Transactions database, Function<Dialect, ViewQueries> engine) {
        this.database = database;
        this.engine = engine;
    }

    @Override
    public OutboxStatus status() {
        return database.transaction("read the status of the outbox", connection -> {
            Sql sql = Sql.on(connection);
            sql.dialect().refuseHiddenRows(connection);
            ViewQueries queries = engine.apply(sql.dialect());
            List<OutboxStatus.RelayStatus> relays = relays(sql);
            List<OutboxStatus.LaneStatus> lanes = lanes(sql, queries);
            double rate = relays.stream()
                    .filter(OutboxStatus.RelayStatus::live)
                    .mapToDouble(OutboxStatus.RelayStatus::publishedPerSecond)
                    .sum();
            return sql.query(queries.counts(), row -> {
                row.next();
                long firstAttempts = row.getLong(2);
                long claimedRetries = row.getLong(4);
                long retrying = row.getLong(5);
                long due = row.getLong(6);
                long parked = row.getLong(7);
                return new OutboxStatus(
                        EventRows.time(sql.dialect(), row, 1),
                        firstAttempts + claimedRetries + retrying + due + parked,
                        row.getLong(3) + claimedRetries,
                        retrying,
                        parked,
                        row.getLong(8),
                        row.getLong(9),
                        seconds(row.getDouble(10)),
                        rate,
                        relays,
                        lanes,
                        List.of());
            });
        });
    }

    private static List<OutboxStatus.RelayStatus> relays(Sql sql) throws SQLException {
        return sql.query(ViewStatements.of(sql).relays, row -> {
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

    private static List<OutboxStatus.LaneStatus> lanes(Sql sql, ViewQueries queries) throws SQLException {
        return sql.query(ViewStatements.of(sql).lanes(queries.oldestInLane()), row -> {
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
        ViewQueries queries = engine.apply(sql.dialect());
        for (ViewQueries.Source source : queries.sources(filter)) {
            if (found.size() < most) {
                EventSearch search =
                        new EventSearch(ViewStatements.of(sql), source, queries, filter, most - found.size());
                sql.query(
                        search.sql(),
                        rows -> {
                            RecordColumns columns = RecordColumns.of(rows);
                            while (rows.next()) {
                                found.add(columns.read(sql.dialect(), rows));
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
                    ViewStatements.of(sql).records("SELECT * FROM outbox_events WHERE id = ?"),
                    row -> row.next() ? Optional.of(RecordColumns.of(row).read(sql.dialect(), row)) : Optional.empty(),
                    id);
        });
    }

    @Override
    public List<AuditEntry> history(UUID id) {
        return database.transaction("read the history of event " + id, connection -> {
            Sql sql = Sql.on(connection);
            return sql.query(ViewStatements.of(sql).history, row -> AuditRows.read(sql.dialect(), row), id);
        });
    }
}
