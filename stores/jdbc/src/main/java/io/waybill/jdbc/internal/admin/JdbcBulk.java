package io.waybill.jdbc.internal.admin;

import io.waybill.WaybillException;
import io.waybill.admin.Action;
import io.waybill.admin.ActionRefusedException;
import io.waybill.admin.BulkOperation;
import io.waybill.admin.BulkOperation.Kind;
import io.waybill.admin.BulkOperation.State;
import io.waybill.admin.BulkOperations;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.admin.OutboxView;
import io.waybill.admin.Page;
import io.waybill.jdbc.internal.admin.ActionLog.Change;
import io.waybill.jdbc.internal.admin.JdbcActions.Several;
import io.waybill.jdbc.internal.admin.OperationRows.Stored;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Bulk operations. A step locks the row of its operation, changes the next events, and records results, progress and audit, all in one
 * transaction. A crash therefore repeats nothing and loses nothing, and two runners never execute the same step.
 *
 * <p>Dead letters are read in the order in which they died, up to the moment at which the operation was created. An event that was
 * replayed and died again has died after that moment, so an operation changes no event twice.
 */
public final class JdbcBulk implements BulkOperations {
    private static final String ONE = "SELECT " + OperationRows.COLUMNS + " FROM outbox_operations o WHERE o.id = ?";

    private static final String INSERT = """
            INSERT INTO outbox_operations (id, kind, filter, actor, reason, state, total_events, rate_per_second)
            VALUES (?, ?, ?, ?, ?, 'DRAFT', ?, ?)""";

    private static final String CONFIRM =
            "UPDATE outbox_operations SET state = 'CONFIRMED' WHERE id = ? AND state = 'DRAFT'";

    private static final String RESULT =
            "INSERT INTO outbox_operation_results (operation_id, event_id, outcome, detail) VALUES (?, ?, ?, ?)";

    private static final Duration NO_PAUSE = Duration.ZERO;

    private final Transactions database;
    private final JdbcSearch search;
    private final JdbcActions actions;
    private final Repair repair;
    private final ActionLog log;

    public JdbcBulk(Transactions database, JdbcSearch search, JdbcActions actions, Repair repair) {
        this.database = database;
        this.search = search;
        this.actions = actions;
        this.repair = repair;
        this.log = new ActionLog(database);
    }

    @Override
    public BulkOperation draft(Kind kind, EventFilter filter, int ratePerSecond, Action action) {
        if (ratePerSecond < 0) {
            throw new WaybillException(
                    "The rate of an operation must be 0 (unlimited) or more, not " + ratePerSecond + ".");
        }
        UUID id = action.id() == null
                ? UUID.randomUUID()
                : UUID.nameUUIDFromBytes(
                        ("bulk " + action.actor() + '\n' + action.id()).getBytes(StandardCharsets.UTF_8));
        log.execute("draft", "count the events of an operation", action, (sql, connection) -> {
            long total = search.count(sql, states(kind, filter), isRetry(kind), null, BulkOperation.MOST_COUNTED);
            // If a concurrent call with the same action id was faster, the audit row of this one is refused.
            sql.insert(
                    INSERT,
                    id,
                    kind.name(),
                    StoredFilter.json(filter),
                    action.actor(),
                    action.reason(),
                    total,
                    ratePerSecond);
            return Change.withoutEvents("operation " + id);
        });
        return required(id);
    }

    private static boolean isRetry(Kind kind) {
        return kind == Kind.RETRY;
    }

    /** Only events that wait for a retry are listed with the state PENDING in the section of held events. */
    private static EventFilter states(Kind kind, EventFilter filter) {
        return filter.state(isRetry(kind) ? EventState.PENDING : EventState.DEAD_LETTER);
    }

    private BulkOperation required(UUID id) {
        return operation(id).orElseThrow(() -> missing(id));
    }

    private static ActionRefusedException missing(UUID id) {
        return new ActionRefusedException("There is no operation " + id + ".");
    }

    @Override
    public BulkOperation confirm(UUID id, Action action) {
        log.execute("confirm", "confirm operation " + id, action, (sql, connection) -> {
            if (sql.update(CONFIRM, id) == 1) {
                return Change.withoutEvents("operation " + id);
            }
            return unlessEnded(sql, id, Set.of(State.CANCELLED, State.FAILED));
        });
        return required(id);
    }

    @Override
    public BulkOperation cancel(UUID id, Action action) {
        log.execute("cancel", "cancel operation " + id, action, (sql, connection) -> {
            int changed = sql.update(
                    "UPDATE outbox_operations SET state = 'CANCELLED', ended_at = "
                            + sql.dialect().clock() + " WHERE id = ? AND state IN ('DRAFT', 'CONFIRMED', 'RUNNING')",
                    id);
            return changed == 1
                    ? Change.withoutEvents("operation " + id)
                    : unlessEnded(sql, id, Set.of(State.DONE, State.FAILED));
        });
        return required(id);
    }

    private static Change unlessEnded(Sql sql, UUID id, Set<State> refused) throws SQLException {
        State state = find(sql, id).map(found -> found.operation().state()).orElseThrow(() -> missing(id));
        if (refused.contains(state)) {
            throw new ActionRefusedException(
                    "Operation " + id + " is " + state.name().toLowerCase(Locale.ROOT) + " already.");
        }
        return Change.of(List.of(), "operation " + id);
    }

    private static Optional<Stored> find(Sql sql, UUID id) throws SQLException {
        return sql.query(ONE, row -> OperationRows.read(sql, row), id).stream().findFirst();
    }

    @Override
    public Optional<BulkOperation> operation(UUID id) {
        return database.transaction(
                "read operation " + id, c -> find(Sql.on(c), id).map(Stored::operation));
    }

    @Override
    public Page<BulkOperation> operations(@Nullable String cursor, int limit) {
        SearchCursor start = SearchCursor.of(cursor, 1);
        Section section = new Section(Section.Order.TIME_DESCENDING, "o.created_at", "%1$s%2$d");
        Instant before = Instant.parse((start == null ? section.start() : start.position()).text());
        int most = Math.max(1, Math.min(limit, OutboxView.LARGEST_PAGE));
        List<BulkOperation> found = database.transaction("list operations", connection -> {
            Sql sql = Sql.on(connection);
            return sql
                    .query(
                            "SELECT " + OperationRows.COLUMNS + " FROM outbox_operations o WHERE o.created_at < ?"
                                    + " ORDER BY o.created_at DESC LIMIT " + most,
                            row -> OperationRows.read(sql, row),
                            before)
                    .stream()
                    .map(Stored::operation)
                    .toList();
        });
        return new Page<>(
                found,
                found.size() < most
                        ? null
                        : new SearchCursor(
                                        0,
                                        new Section.Position(
                                                0,
                                                found.get(most - 1).createdAt().toString()))
                                .text());
    }

    @Override
    public Page<BulkOperation.Result> results(UUID id, @Nullable String cursor, int limit) {
        SearchCursor start = SearchCursor.of(cursor, 1);
        UUID after = start == null
                ? new UUID(0, 0)
                : UUID.fromString(start.position().text());
        int most = Math.max(1, Math.min(limit, OutboxView.LARGEST_PAGE));
        List<BulkOperation.Result> found = database.transaction("list the results of operation " + id, connection -> {
            Sql sql = Sql.on(connection);
            return sql.query(
                    "SELECT event_id, outcome, detail FROM outbox_operation_results WHERE operation_id = ? AND event_id > ?"
                            + " ORDER BY event_id LIMIT " + most,
                    row -> {
                        List<BulkOperation.Result> results = new ArrayList<>();
                        while (row.next()) {
                            results.add(new BulkOperation.Result(
                                    sql.dialect().uuid(row, 1),
                                    BulkOperation.Outcome.valueOf(row.getString(2)),
                                    row.getString(3)));
                        }
                        return results;
                    },
                    id,
                    after);
        });
        return new Page<>(
                found,
                found.size() < most
                        ? null
                        : new SearchCursor(
                                        0,
                                        new Section.Position(
                                                0, found.get(most - 1).event().toString()))
                                .text());
    }

    @Override
    public Optional<BulkOperation> step(String runner, Duration lease) {
        UUID[] current = new UUID[1];
        try {
            return database.transaction("execute a step of an operation", connection -> {
                Sql sql = Sql.on(connection);
                sql.dialect().refuseHiddenRows(connection);
                Optional<Stored> next = next(sql, runner);
                if (next.isEmpty()) {
                    return Optional.<BulkOperation>empty();
                }
                UUID id = next.get().operation().id();
                current[0] = id;
                execute(sql, next.get(), runner, lease);
                return find(sql, id).map(Stored::operation);
            });
        } catch (StoreException e) {
            UUID id = current[0];
            if (id == null || !refused(e)) {
                throw e;
            }
            fail(id, String.valueOf(e.getMessage()));
            return operation(id);
        }
    }

    /** Whether another attempt of the step will fail in the same way. False for an outage, which ends by itself. */
    private static boolean refused(StoreException e) {
        return SqlState.refusesData(e);
    }

    private void fail(UUID id, String error) {
        database.transaction("record the failure of operation " + id, connection -> {
            Sql sql = Sql.on(connection);
            return sql.update(
                    "UPDATE outbox_operations SET state = 'FAILED', error = ?, ended_at = "
                            + sql.dialect().clock() + " WHERE id = ?",
                    error,
                    id);
        });
    }

    private static Optional<Stored> next(Sql sql, String runner) throws SQLException {
        String clock = sql.dialect().clock();
        return sql
                .query(
                        "SELECT " + OperationRows.COLUMNS + " FROM outbox_operations o"
                                + " WHERE o.state IN ('CONFIRMED', 'RUNNING')"
                                + " AND (o.next_step_at IS NULL OR o.next_step_at <= " + clock + ")"
                                + " AND (o.runner IS NULL OR o.runner = ? OR o.leased_until <= " + clock + ")"
                                + " ORDER BY o.created_at LIMIT 1 FOR UPDATE SKIP LOCKED",
                        row -> OperationRows.read(sql, row),
                        runner)
                .stream()
                .findFirst();
    }

    private void execute(Sql sql, Stored stored, String runner, Duration lease) throws SQLException {
        BulkOperation operation = stored.operation();
        Instant now = sql.query("SELECT " + sql.dialect().clock(), row -> {
            row.next();
            return EventRows.time(sql.dialect(), row, 1);
        });
        EventFilter filter = states(operation.kind(), aged(operation, now));
        int size = operation.ratePerSecond() == 0 ? STEP : Math.min(STEP, operation.ratePerSecond());
        Page<EventRecord> page = search.held(sql, filter, isRetry(operation.kind()), stored.reached(), size);
        List<UUID> ids = page.items().stream()
                .filter(event -> !arrivedSince(operation, event))
                .map(event -> event.event().id())
                .toList();
        List<UUID> changed = ids.isEmpty() ? List.of() : actions.changed(sql, ids, change(operation.kind()));
        record(sql, operation, ids, new HashSet<>(changed));
        if (!changed.isEmpty()) {
            Action action = new Action(operation.actor(), operation.reason(), null, null);
            ActionLog.record(sql, name(operation.kind()), action, changed, false, "operation " + operation.id());
        }
        boolean done = page.next() == null
                || (!isRetry(operation.kind()) && ids.size() < page.items().size());
        long arrived = done
                ? search.arrived(
                        sql, filter, isRetry(operation.kind()), operation.createdAt(), BulkOperation.MOST_COUNTED)
                : 0;
        Duration pause = operation.ratePerSecond() == 0
                ? NO_PAUSE
                : Duration.ofMillis(1_000L * ids.size() / operation.ratePerSecond());
        progress(
                sql,
                operation,
                page.next(),
                changed.size(),
                ids.size() - changed.size(),
                arrived,
                done,
                runner,
                lease,
                pause);
    }

    /** The ages of the filter are measured at the time at which the operation was created. */
    private static EventFilter aged(BulkOperation operation, Instant now) {
        Duration since = Duration.between(operation.createdAt(), now);
        EventFilter filter = operation.filter();
        return filter.olderThan(
                        filter.olderThan() == null ? null : filter.olderThan().plus(since))
                .youngerThan(
                        filter.youngerThan() == null
                                ? null
                                : filter.youngerThan().plus(since));
    }

    private static boolean arrivedSince(BulkOperation operation, EventRecord event) {
        Instant reached = isRetry(operation.kind()) ? event.createdAt() : event.settledAt();
        return reached != null && reached.isAfter(operation.createdAt());
    }

    private Several change(Kind kind) {
        return switch (kind) {
            case REPLAY -> repair::replay;
            case DISCARD -> repair::discard;
            case RETRY -> repair::retryNow;
        };
    }

    private static String name(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static void record(Sql sql, BulkOperation operation, List<UUID> ids, Set<UUID> changed)
            throws SQLException {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (UUID id : ids) {
            boolean done = changed.contains(id);
            List<@Nullable Object> row = new ArrayList<>();
            row.add(operation.id());
            row.add(id);
            row.add(done ? "DONE" : "SKIPPED");
            row.add(done ? null : "The event is no longer in the required state.");
            rows.add(row);
        }
        if (!rows.isEmpty()) {
            sql.updateEach(RESULT, rows);
        }
    }

    private static void progress(
            Sql sql,
            BulkOperation operation,
            @Nullable String reached,
            int done,
            int skipped,
            long arrived,
            boolean ends,
            String runner,
            Duration lease,
            Duration pause)
            throws SQLException {
        String clock = sql.dialect().clock();
        sql.update(
                "UPDATE outbox_operations SET state = ?, done_events = done_events + ?, skipped_events = skipped_events + ?,"
                        + " arrived_events = ?, reached = ?, runner = ?, leased_until = "
                        + sql.dialect().plusMillis(clock) + ", next_step_at = "
                        + sql.dialect().plusMillis(clock) + ", ended_at = CASE WHEN ? THEN " + clock
                        + " END WHERE id = ?",
                ends ? "DONE" : "RUNNING",
                done,
                skipped,
                arrived,
                reached,
                runner,
                lease.toMillis(),
                pause.toMillis(),
                ends,
                operation.id());
    }
}
