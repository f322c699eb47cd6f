package io.waybill.jdbc.internal.admin;

import io.waybill.admin.AuditEntry;
import io.waybill.admin.AuditFilter;
import io.waybill.admin.BlockedKey;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.EventState;
import io.waybill.admin.FailureGroups;
import io.waybill.admin.OutboxPause;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.OutboxView;
import io.waybill.admin.Page;
import io.waybill.jdbc.internal.admin.Section.Position;
import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.Transactions;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lists for operators. A page of events is read in two steps: the next ids in the order of an index, and then the events with these ids
 * that match the filter. A filter that few events match therefore costs a limited number of reads per page.
 */
public final class JdbcSearch implements OutboxSearch {
    /** Largest number of events that are read at once, because each of them has a payload. */
    private static final int CHUNK = 200;

    private static final int CHUNK_OF_IDS = 1_000;

    /** A page ends when its payloads exceed this number of characters. */
    private static final long LARGEST_PAGE_TEXT = 16 << 20;

    private final Transactions database;
    private final Function<Dialect, ViewQueries> view;
    private final Function<Dialect, SearchQueries> engine;

    public JdbcSearch(
            Transactions database, Function<Dialect, ViewQueries> view, Function<Dialect, SearchQueries> engine) {
        this.database = database;
        this.view = view;
        this.engine = engine;
    }

    private static int limited(int limit) {
        return Math.max(1, Math.min(limit, OutboxView.LARGEST_PAGE));
    }

    @Override
    public Page<EventRecord> events(EventFilter filter, @Nullable String cursor, int limit) {
        if (filter.key() != null) {
            return ofKey(filter, filter.key(), cursor, limit);
        }
        return database.transaction("list events", connection -> {
            Sql sql = Sql.on(connection);
            return page(sql, engine.apply(sql.dialect()).sections(filter), filter, cursor, limit);
        });
    }

    @Override
    public Page<EventRecord> trail(String key, @Nullable String cursor, int limit) {
        return ofKey(EventFilter.ALL.key(key), key, cursor, limit);
    }

    private Page<EventRecord> ofKey(EventFilter filter, String key, @Nullable String cursor, int limit) {
        return database.transaction("list the events of key " + key, connection -> {
            Sql sql = Sql.on(connection);
            SearchQueries queries = engine.apply(sql.dialect());
            Optional<Section> ofKey = queries.ofKey();
            return ofKey.isPresent()
                    ? page(sql, List.of(ofKey.get()), filter, cursor, limit)
                    : page(sql, queries.sections(filter), filter, cursor, limit);
        });
    }

    /** Reads a page of a list that consists of these sections. */
    private Page<EventRecord> page(
            Sql sql, List<Section> sections, EventFilter filter, @Nullable String cursor, int limit)
            throws SQLException {
        sql.dialect().refuseHiddenRows(sql.connection());
        FilterConditions conditions = FilterConditions.of(ViewStatements.of(sql), view.apply(sql.dialect()), filter);
        SearchCursor start = SearchCursor.of(cursor, sections.size());
        int number = start == null ? 0 : start.section();
        Position position = start == null ? null : start.position();
        List<EventRecord> found = new ArrayList<>();
        int most = limited(limit);
        int examined = 0;
        long text = 0;
        while (number < sections.size()) {
            Section section = sections.get(number);
            Position after = position == null ? section.start() : position;
            int chunk = conditions.values().isEmpty() ? Math.min(CHUNK, most - found.size()) : CHUNK_OF_IDS;
            List<Candidate> candidates = candidates(sql, section, after, filter.key(), chunk);
            examined += candidates.size();
            for (int from = 0; from < candidates.size(); from += CHUNK) {
                List<Candidate> some = candidates.subList(from, Math.min(candidates.size(), from + CHUNK));
                Map<UUID, EventRecord> matching = matching(sql, some, conditions);
                for (Candidate candidate : some) {
                    EventRecord event = matching.get(candidate.id);
                    if (event != null) {
                        found.add(event);
                        text += event.event().payload().length();
                    }
                    if (found.size() == most || text > LARGEST_PAGE_TEXT) {
                        return new Page<>(found, new SearchCursor(number, candidate.position).text());
                    }
                }
            }
            if (candidates.size() < chunk) {
                number++;
                position = null;
            } else {
                position = candidates.get(candidates.size() - 1).position;
            }
            if (examined >= MOST_EXAMINED && number < sections.size()) {
                Position next = position == null ? sections.get(number).start() : position;
                return new Page<>(found, new SearchCursor(number, next).text());
            }
        }
        return new Page<>(found, null);
    }

    private static List<Section> heldOrDead(SearchQueries queries, boolean held) {
        return List.of(held ? queries.held() : queries.dead());
    }

    /** Returns a page of held events, or of dead letters. */
    Page<EventRecord> held(Sql sql, EventFilter filter, boolean held, @Nullable String cursor, int limit)
            throws SQLException {
        return page(sql, heldOrDead(engine.apply(sql.dialect()), held), filter, cursor, limit);
    }

    /** Counts the matching held events that were written after this time, or the dead letters that died after it. */
    long arrived(Sql sql, EventFilter filter, boolean held, Instant since, int most) throws SQLException {
        return held
                ? count(sql, filter.youngerThan(age(sql, since)), true, null, most)
                : count(sql, filter, false, since, most);
    }

    private static Duration age(Sql sql, Instant time) throws SQLException {
        Instant now = sql.query("SELECT " + sql.dialect().clock(), row -> {
            row.next();
            return EventRows.time(sql.dialect(), row, 1);
        });
        return Duration.between(time, now);
    }

    /**
     * Counts matching events, up to a number, without reading their payloads.
     *
     * @param after the time after which the events died; null for all
     */
    long count(Sql sql, EventFilter filter, boolean held, @Nullable Instant after, int most) throws SQLException {
        FilterConditions conditions = FilterConditions.of(ViewStatements.of(sql), view.apply(sql.dialect()), filter);
        Section section = heldOrDead(engine.apply(sql.dialect()), held).get(0);
        Position position = after == null ? section.start() : new Position(Long.MAX_VALUE, after.toString());
        long found = 0;
        for (int examined = 0; examined < most; examined += CHUNK_OF_IDS) {
            List<Candidate> candidates = candidates(sql, section, position, filter.key(), CHUNK_OF_IDS);
            if (!candidates.isEmpty()) {
                List<Object> values = new ArrayList<>();
                values.add(candidates.stream().map(Candidate::id).toList());
                values.addAll(conditions.values());
                found += sql.query(
                        "SELECT count(*) FROM outbox_events e WHERE e.id = ANY (?)" + conditions.sql(),
                        row -> {
                            row.next();
                            return row.getLong(1);
                        },
                        values.toArray());
            }
            if (candidates.size() < CHUNK_OF_IDS) {
                break;
            }
            position = candidates.get(candidates.size() - 1).position;
        }
        return found;
    }

    private record Candidate(UUID id, Position position) {}

    /** @param key the first parameter of a section that lists the events of a key */
    private static List<Candidate> candidates(Sql sql, Section section, Position after, @Nullable String key, int limit)
            throws SQLException {
        List<Object> values = new ArrayList<>();
        if (section.column().equals(OF_KEY) && key != null) {
            values.add(key);
        }
        values.addAll(List.of(section.values(after)));
        return sql.query(
                section.sql(limit),
                row -> {
                    List<Candidate> candidates = new ArrayList<>();
                    while (row.next()) {
                        String text = section.order().isByNumberOnly()
                                ? ""
                                : section.order().isByTime()
                                        ? EventRows.time(sql.dialect(), row, 3).toString()
                                        : row.getString(3);
                        candidates.add(new Candidate(sql.dialect().uuid(row, 1), new Position(row.getLong(2), text)));
                    }
                    return candidates;
                },
                values.toArray());
    }

    /** The column of a section that lists the events of one key. */
    public static final String OF_KEY = "key";

    private static Map<UUID, EventRecord> matching(Sql sql, List<Candidate> candidates, FilterConditions conditions)
            throws SQLException {
        List<Object> values = new ArrayList<>();
        values.add(candidates.stream().map(Candidate::id).toList());
        values.addAll(conditions.values());
        return sql.query(
                ViewStatements.of(sql).records("SELECT * FROM outbox_events e WHERE e.id = ANY (?)" + conditions.sql()),
                rows -> {
                    Map<UUID, EventRecord> found = new HashMap<>();
                    RecordColumns columns = RecordColumns.of(rows);
                    while (rows.next()) {
                        EventRecord event = columns.read(sql.dialect(), rows);
                        found.put(event.event().id(), event);
                    }
                    return found;
                },
                values.toArray());
    }

    @Override
    public FailureGroups failureGroups() {
        return database.transaction("group failures", connection -> {
            Sql sql = Sql.on(connection);
            sql.dialect().refuseHiddenRows(connection);
            SearchQueries queries = engine.apply(sql.dialect());
            int half = FailureGroups.MOST_EXAMINED / 2;
            List<Failed> dead = failed(sql, queries.failed().formatted(FailureGroups.MOST_EXAMINED), true);
            List<Failed> retrying = failed(sql, queries.retrying().formatted(FailureGroups.MOST_EXAMINED), false);
            int deadMost = Math.min(dead.size(), Math.max(half, FailureGroups.MOST_EXAMINED - retrying.size()));
            int retryingMost = Math.min(retrying.size(), FailureGroups.MOST_EXAMINED - deadMost);
            List<Failed> examined = new ArrayList<>(dead.subList(0, deadMost));
            examined.addAll(retrying.subList(0, retryingMost));
            boolean complete = deadMost == dead.size()
                    && retryingMost == retrying.size()
                    && dead.size() < FailureGroups.MOST_EXAMINED
                    && retrying.size() < FailureGroups.MOST_EXAMINED;
            return new FailureGroups(FailureGrouping.group(sql, examined), examined.size(), complete);
        });
    }

    record Failed(UUID id, String error, boolean isDead) {}

    private static List<Failed> failed(Sql sql, String query, boolean dead) throws SQLException {
        return sql.query(query, row -> {
            List<Failed> failed = new ArrayList<>();
            while (row.next()) {
                String error = row.getString(2);
                failed.add(new Failed(sql.dialect().uuid(row, 1), error == null ? "" : error, dead));
            }
            failed.removeIf(one -> one.error.startsWith(PausedEvents.REASON));
            return failed;
        });
    }

    @Override
    public Page<BlockedKey> blockedKeys(@Nullable String cursor, int limit) {
        SearchCursor start = SearchCursor.of(cursor, 1);
        return database.transaction("list blocked keys", connection -> {
            Sql sql = Sql.on(connection);
            sql.dialect().refuseHiddenRows(connection);
            SearchQueries queries = engine.apply(sql.dialect());
            List<BlockedKey> found = new ArrayList<>();
            String[] key = {start == null ? "" : start.position().text()};
            int most = limited(limit);
            for (int examined = 0; examined < OutboxView.LARGEST_PAGE && found.size() < most; examined++) {
                Optional<UUID> head = sql.query(
                        queries.nextKey(),
                        row -> {
                            if (!row.next()) {
                                return Optional.empty();
                            }
                            key[0] = row.getString(1);
                            return Optional.of(sql.dialect().uuid(row, 2));
                        },
                        key[0]);
                if (head.isEmpty()) {
                    return new Page<>(found, null);
                }
                Optional<BlockedKey> blocked = blocked(sql, queries, head.get());
                blocked.ifPresent(found::add);
            }
            return new Page<>(found, new SearchCursor(0, new Position(0, key[0])).text());
        });
    }

    private static Optional<BlockedKey> blocked(Sql sql, SearchQueries queries, UUID head) throws SQLException {
        EventRecord event = matching(
                        sql, List.of(new Candidate(head, new Position(0, ""))), new FilterConditions("", List.of()))
                .get(head);
        if (event == null || event.state() == EventState.PARKED || event.lastError() == null) {
            return Optional.empty(); // the event is about to be sent
        }
        boolean dead = event.state() == EventState.DEAD_LETTER;
        boolean claimed = event.state() == EventState.CLAIMED;
        boolean paused = event.lastError().startsWith(PausedEvents.REASON);
        int parked = sql.query(
                queries.parked().formatted(BlockedKey.MOST_COUNTED),
                row -> {
                    int count = 0;
                    while (row.next()) {
                        count++;
                    }
                    return count;
                },
                event.event().key());
        return Optional.of(new BlockedKey(
                event.event().key(),
                event.event().aggregateType(),
                head,
                event.event().type(),
                event.event().destination(),
                dead
                        ? BlockedKey.Cause.DEAD_LETTER
                        : claimed
                                ? BlockedKey.Cause.CLAIMED
                                : paused ? BlockedKey.Cause.PAUSED : BlockedKey.Cause.RETRYING,
                event.lastError(),
                event.retryCount(),
                dead ? null : event.nextAttemptAt(),
                event.createdAt(),
                parked));
    }

    @Override
    public Page<AuditEntry> audit(AuditFilter filter, @Nullable String cursor, int limit) {
        SearchCursor start = SearchCursor.of(cursor, 1);
        long before = start == null ? Long.MAX_VALUE : start.position().number();
        int most = limited(limit);
        String newest = "(SELECT * FROM outbox_audit WHERE id < ? ORDER BY id DESC LIMIT " + MOST_EXAMINED + ") a";
        return database.transaction("list operator actions", connection -> {
            Sql sql = Sql.on(connection);
            StringBuilder query = new StringBuilder("SELECT " + AuditRows.COLUMNS + " FROM " + newest + " WHERE 1 = 1");
            List<Object> values = new ArrayList<>(List.of(before));
            add(query, values, " AND a.actor = ?", filter.actor());
            add(query, values, " AND a.action = ?", filter.action());
            add(query, values, " AND a.refused = ?", filter.refused());
            List<AuditEntry> found = sql.query(
                    query + " ORDER BY a.id DESC LIMIT " + most,
                    row -> AuditRows.readAll(sql.dialect(), row),
                    values.toArray());
            if (found.size() == most) {
                return new Page<>(found, after(found.get(most - 1).id()));
            }
            return sql.query(
                    "SELECT count(*), min(a.id) FROM " + newest,
                    row -> {
                        row.next();
                        return new Page<>(found, row.getLong(1) < MOST_EXAMINED ? null : after(row.getLong(2)));
                    },
                    before);
        });
    }

    private static String after(long id) {
        return new SearchCursor(0, new Position(id, "")).text();
    }

    private static void add(StringBuilder query, List<Object> values, String condition, @Nullable Object value) {
        if (value != null) {
            query.append(condition);
            values.add(value);
        }
    }

    @Override
    public List<OutboxPause> pauses() {
        return database.transaction("list pauses", connection -> PausedEvents.read(Sql.on(connection)));
    }
}
