package io.waybill.jdbc.internal.assumption;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.internal.assumption.Violation.Concern;
import io.waybill.jdbc.internal.journal.Cursor;
import io.waybill.jdbc.internal.journal.TransactionStart;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The assumptions of the engines about PostgreSQL. Each of them has a query that returns a row if the assumption does not hold.
 *
 * <p>Every heartbeat of a relay, {@code schema check} and {@code doctor} check all of them. Some assumptions keep a cursor from
 * passing events that the relay has not read. Every claim of the journal checks these assumptions as well, in the first statement
 * of its transaction ({@link TransactionStart}).
 */
public enum PostgresAssumption {
    REAL_POSTGRES(
            Concern.TABLES,
            EnumSet.of(Engine.JOURNAL),
            "SELECT version() WHERE version() !~ '^PostgreSQL ' OR version() ~* '-YB-|Redshift|Greenplum|Cockroach|Materialize'",
            "The journal engine needs PostgreSQL itself, and this database is %s, where transaction numbers and sequences work"
                    + " differently. Use the queue engine."),

    PRIMARY(
            Concern.RELAY,
            EnumSet.allOf(Engine.class),
            "SELECT '' WHERE pg_is_in_recovery()",
            "This server is a standby. Connect the relay to the primary."),

    /** With a stricter isolation, the snapshot would be older than the sequence number that is read before it. */
    READ_COMMITTED(
            Concern.RELAY,
            EnumSet.allOf(Engine.class),
            "SELECT current_setting('transaction_isolation') WHERE current_setting('transaction_isolation') <> 'read committed'",
            "Relays need READ COMMITTED isolation, and these connections use %s. Configure the pool of the relay"
                    + " accordingly."),

    ALL_ROWS(
            Concern.RELAY,
            EnumSet.allOf(Engine.class),
            "SELECT concat(string_agg(c.relname, ', '), '|', quote_ident(current_user)) FROM " + Sources.TABLES
                    + " WHERE row_security_active(c.oid) HAVING count(*) > 0",
            "Row-level security hides rows of %s from this role. Hidden events would never be published."
                    + " Run: ALTER ROLE %s BYPASSRLS;"),

    SEQUENCE_READABLE(
            Concern.RELAY,
            EnumSet.of(Engine.JOURNAL),
            "SELECT quote_ident(current_user)"
                    + " WHERE NOT has_sequence_privilege(to_regclass('outbox_events_seq_seq')::oid, 'SELECT, USAGE')",
            "This role cannot read the sequence outbox_events_seq_seq, which the journal needs to find new events."
                    + " Run: GRANT SELECT ON outbox_events_seq_seq TO %s;"),

    ORDINARY_TABLES(
            Concern.TABLES,
            EnumSet.allOf(Engine.class),
            "SELECT concat(c.relname, '|', CASE c.relkind WHEN 'v' THEN 'a view' WHEN 'm' THEN 'a materialized view'"
                    + " WHEN 'f' THEN 'a foreign table' WHEN 'p' THEN 'a partitioned table' ELSE 'an inherited table' END)"
                    + " FROM " + Sources.TABLES + " WHERE c.relkind <> 'r' OR c.relispartition OR EXISTS"
                    + " (SELECT 1 FROM pg_inherits i WHERE c.oid IN (i.inhparent, i.inhrelid)) LIMIT 1",
            "%s is %s and must be an ordinary table. Otherwise rows could be missing from it or from its indexes. Compare your"
                    + " database with the output of waybill schema print, and check the search_path."),

    ONE_SCHEMA(
            Concern.TABLES,
            EnumSet.allOf(Engine.class),
            "SELECT string_agg(DISTINCT quote_ident(nspname), ', ') FROM " + Sources.TABLES
                    + " JOIN pg_namespace n ON n.oid = c.relnamespace HAVING count(DISTINCT nspname) > 1",
            "Connections find Waybill's tables in several schemas: %s. All tables must be in one schema. Correct the search_path."),

    LOGGED(
            Concern.TABLES,
            EnumSet.allOf(Engine.class),
            "SELECT string_agg(c.relname, ', ') FROM " + Sources.TABLES
                    + " WHERE c.relpersistence <> 'p' HAVING count(*) > 0",
            "These tables are unlogged or temporary: %s. A crash of the server would empty them. Run ALTER TABLE … SET LOGGED"
                    + " for each of them."),

    /** A row must get its transaction number before its sequence number. Defaults are evaluated in the order of the columns. */
    XID_BEFORE_SEQ(
            Concern.TABLES,
            EnumSet.of(Engine.JOURNAL),
            "SELECT '' WHERE NOT EXISTS (SELECT 1 FROM pg_attribute x JOIN pg_attrdef d ON d.adrelid = x.attrelid"
                    + " AND d.adnum = x.attnum JOIN pg_attribute s ON s.attrelid = x.attrelid AND s.attnum > x.attnum"
                    + " WHERE x.attrelid = to_regclass('outbox_events') AND x.attname = 'xid' AND s.attname = 'seq'"
                    + " AND pg_get_expr(d.adbin, d.adrelid) = 'pg_current_xact_id()')",
            "The column xid of outbox_events must have the default pg_current_xact_id() and precede seq. Create the table"
                    + " from the output of waybill schema print."),

    SEQ_GENERATED(
            Concern.TABLES,
            EnumSet.allOf(Engine.class),
            "SELECT '' WHERE NOT EXISTS (SELECT 1 FROM pg_attribute a JOIN pg_depend d ON d.refobjid = a.attrelid"
                    + " AND d.refobjsubid = a.attnum AND d.refclassid = 'pg_class'::regclass"
                    + " AND d.classid = 'pg_class'::regclass AND d.deptype = 'i'"
                    + " WHERE a.attrelid = to_regclass('outbox_events') AND a.attname = 'seq' AND a.attidentity = 'a'"
                    + " AND d.objid = to_regclass('outbox_events_seq_seq'))",
            "The column seq of outbox_events must be GENERATED ALWAYS AS IDENTITY, from the sequence outbox_events_seq_seq."
                    + " Other numbers break the order. Run: ALTER TABLE outbox_events ALTER seq SET GENERATED ALWAYS;"
                    + " or compare the table with the output of waybill schema print."),

    XID_GUARDED(
            Concern.TABLES,
            EnumSet.of(Engine.JOURNAL),
            "SELECT concat(g.name, '|', g.way, '|', g.name)"
                    + " FROM (VALUES ('outbox_events_own_xid', ''), ('outbox_events_replicated', 'REPLICA ')) g (name, way)"
                    + " WHERE NOT EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = to_regclass('outbox_events')"
                    + " AND t.tgname = g.name AND t.tgenabled IN ('A', CASE g.way WHEN '' THEN 'O' ELSE 'R' END)) LIMIT 1",
            "The trigger %s of outbox_events is missing or disabled. An event with a wrong xid would never be published. Run:"
                    + " ALTER TABLE outbox_events ENABLE %sTRIGGER %s; or create it from the output of waybill schema print."),

    SAME_CLUSTER(
            Concern.REBASE,
            EnumSet.of(Engine.JOURNAL),
            "SELECT '' FROM outbox_cursors c, pg_control_system() p WHERE c.cluster <> p.system_identifier LIMIT 1",
            "The journal's cursors come from another PostgreSQL cluster: the tables were restored from a dump, and the transaction"
                    + " numbers in them are not valid here. Nothing was published. Stop all relays and run waybill schema rebase."),

    SAME_ORIGIN(
            Concern.REBASE,
            EnumSet.of(Engine.JOURNAL),
            "SELECT '' FROM outbox_cursors c WHERE c.origin <> (" + Sources.ORIGIN + ") LIMIT 1",
            "The journal's cursors were restored from a dump or replicated, and the transaction numbers in them are not valid"
                    + " here. Nothing was published. Stop all relays and run waybill schema rebase."),

    CURSORS_IN_THE_PAST(
            Concern.REBASE,
            EnumSet.of(Engine.JOURNAL),
            "SELECT c.lane::text FROM outbox_cursors c WHERE " + Sources.AHEAD + " LIMIT 1",
            "The cursor of lane %s contains transactions that this cluster has not started yet: it comes from another copy of this"
                    + " database. Nothing was published. Stop all relays and run waybill schema rebase."),

    NOT_REPLICATED(
            Concern.REBASE,
            EnumSet.of(Engine.JOURNAL),
            "SELECT '' FROM outbox_cursors c WHERE c.broken = 'REPLICATED' LIMIT 1",
            "Logical replication has written into outbox_events. These events have transaction numbers of another cluster."
                    + " Nothing was published since. When replication has ended, stop all relays and run waybill schema"
                    + " rebase."),

    /** The cached numbers of a session are lower than numbers that other sessions have used in the meantime. */
    SEQUENCE_UNCACHED(
            Concern.REBASE,
            EnumSet.of(Engine.JOURNAL),
            Sources.CACHED,
            "The sequence outbox_events_seq_seq has %s. It must have CACHE 1, a positive INCREMENT and no CYCLE. Otherwise later"
                    + " events get lower numbers, and relays would skip them. Stop all relays and run waybill schema"
                    + " rebase, which repairs the sequence and delivers all events."),

    QUEUE_SEQUENCE_UNCACHED(
            Concern.TABLES,
            EnumSet.of(Engine.QUEUE),
            Sources.CACHED,
            "The sequence outbox_events_seq_seq has %s. It must have CACHE 1, a positive INCREMENT and no CYCLE. Otherwise later"
                    + " events get lower numbers and are published out of order. Run: ALTER SEQUENCE outbox_events_seq_seq"
                    + " INCREMENT 1 CACHE 1 NO CYCLE; and restart the services, whose sessions have cached numbers."),

    SAME_SEQUENCE(
            Concern.REBASE,
            EnumSet.of(Engine.JOURNAL),
            "SELECT '' FROM outbox_cursors c WHERE c.sequence <> (" + Sources.SEQUENCE + ") LIMIT 1",
            "The sequence outbox_events_seq_seq was altered, for example by TRUNCATE … RESTART IDENTITY or ALTER SEQUENCE … CACHE."
                    + " New events may have numbers that the cursors have passed. Stop all relays and run waybill schema rebase,"
                    + " which delivers the events that were written since."),

    NOT_SET_BACK(
            Concern.REBASE,
            EnumSet.of(Engine.JOURNAL),
            "SELECT concat(c.lane, '|', c.open_end) FROM outbox_cursors c, (" + Cursor.SEQUENCE
                    + ") q WHERE c.broken = 'SET_BACK' OR q.value < c.open_end LIMIT 1",
            "The sequence outbox_events_seq_seq was set back: lane %s has read number %s, and later events have lower ones. Stop"
                    + " all relays and run waybill schema rebase, which delivers the events that were written since.");

    private final Concern concern;

    @SuppressWarnings("ImmutableEnumChecker") // the set is never modified
    private final Set<Engine> engines;

    private final String query;
    private final String message;

    PostgresAssumption(Concern concern, Set<Engine> engines, String query, String message) {
        this.concern = concern;
        this.engines = engines;
        this.query = query;
        this.message = message;
    }

    /** Fragments of queries. */
    public static final class Sources {
        /** The tables that determine which events are published, as {@code pg_class c}. */
        static final String TABLES = "pg_class c JOIN unnest(ARRAY['outbox_events', 'outbox_lanes', 'outbox_cursors',"
                + " 'outbox_held', 'outbox_claims']) AS t (name) ON c.oid = to_regclass(t.name)";

        public static final String CACHED = "SELECT concat('CACHE ', s.seqcache, ', INCREMENT ', s.seqincrement,"
                + " CASE WHEN s.seqcycle THEN ', CYCLE' END) FROM pg_sequence s"
                + " WHERE s.seqrelid = to_regclass('outbox_events_seq_seq')"
                + " AND (s.seqcache <> 1 OR s.seqincrement < 1 OR s.seqcycle)";

        /** Identifies this copy of the tables. The value stays the same in a copy of the database's files and changes in a dump. */
        public static final String ORIGIN =
                "SELECT w.xmin::text::bigint FROM waybill_schema w WHERE w.component = 'outbox'";

        /** Identifies the state of the sequence. The value changes with every command that could lower its numbers, except setval. */
        public static final String SEQUENCE =
                "SELECT pg_relation_filenode(s.seqrelid) || '/' || s.xmin FROM pg_sequence s"
                        + " WHERE s.seqrelid = 'outbox_events_seq_seq'::regclass";

        /**
         * The condition that a cursor is ahead of this cluster. A visible cursor was written by a transaction that has ended, so its
         * snapshots cannot be newer than the current one.
         */
        public static final String AHEAD = "pg_snapshot_xmax(c.done) > pg_snapshot_xmax(pg_current_snapshot())"
                + " OR c.open IS NOT NULL AND pg_snapshot_xmax(c.open) > pg_snapshot_xmax(pg_current_snapshot())";

        private Sources() {}
    }

    private static final Map<Engine, String> QUERIES = new EnumMap<>(Engine.class);

    static {
        for (Engine engine : Engine.values()) {
            QUERIES.put(
                    engine,
                    Stream.of(values())
                            .filter(assumption -> assumption.engines.contains(engine))
                            .map(assumption -> "SELECT '" + assumption.name() + "', a.detail FROM (" + assumption.query
                                    + ") AS a (detail)")
                            .collect(joining("\nUNION ALL\n")));
        }
    }

    /** Returns the violated assumptions, but only the first one of those that a rebase repairs, because they occur together. */
    public static List<Violation> violations(Connection connection, Engine engine) throws SQLException {
        return Sql.on(connection).query(requireNonNull(QUERIES.get(engine)), row -> {
            Map<PostgresAssumption, String> found = new EnumMap<>(PostgresAssumption.class);
            while (row.next()) {
                found.put(valueOf(row.getString(1)), String.valueOf(row.getString(2)));
            }
            List<Violation> violations = new ArrayList<>();
            boolean rebase = false;
            for (Map.Entry<PostgresAssumption, String> violated : found.entrySet()) {
                Concern concern = violated.getKey().concern;
                if (concern != Concern.REBASE || !rebase) {
                    violations.add(violated.getKey().violation(violated.getValue()));
                }
                rebase |= concern == Concern.REBASE;
            }
            return violations;
        });
    }

    /** @param detail the result of the query, which fills the placeholders of the message; its parts are separated by {@code |} */
    private Violation violation(String detail) {
        return new Violation(concern, message.formatted((Object[]) detail.split("\\|", -1)));
    }

    public StoreException exception(String detail) {
        return new StoreException(violation(detail).message(), null);
    }
}
