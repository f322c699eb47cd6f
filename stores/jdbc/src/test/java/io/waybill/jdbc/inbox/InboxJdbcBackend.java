package io.waybill.jdbc.inbox;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.inbox.Effects;
import io.waybill.inbox.IdempotencyKeys;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxView;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.JdbcBackend;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.MariaDbDatabase;
import io.waybill.jdbc.MySqlDatabase;
import io.waybill.testkit.inbox.InboxBackend;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;

/** Inbox and outbox in a new database. */
public class InboxJdbcBackend implements InboxBackend<Connection> {
    private final JdbcBackend database;
    private final JdbcInbox inbox;

    /** @param number the declaration of a column that numbers its rows */
    public InboxJdbcBackend(JdbcBackend database, String number) {
        this.database = database;
        this.inbox = JdbcInbox.on(database.dataSource());
        InboxSchema.apply(database.dataSource());
        database.execute("CREATE TABLE ledger_lines (n " + number + ", line varchar(255) NOT NULL)");
    }

    /** An inbox in a fresh database of a server. */
    static InboxJdbcBackend on(DatabaseProduct product) {
        return switch (product) {
            case POSTGRESQL -> new InboxPostgresBackend();
            case MARIADB -> MariaDbDatabase.inbox();
            case MYSQL -> MySqlDatabase.inbox();
            case H2 -> throw new IllegalArgumentException("H2 runs in this JVM");
        };
    }

    JdbcBackend database() {
        return database;
    }

    @Override
    public InboxStore<Connection> store() {
        return inbox.store();
    }

    @Override
    public InboxView view() {
        return inbox.view();
    }

    @Override
    public InboxDeadLetters deadLetters() {
        return inbox.deadLetters();
    }

    @Override
    public Effects effects(String group) {
        return inbox.effects(group);
    }

    @Override
    public IdempotencyKeys<Connection> idempotencyKeys() {
        return inbox.idempotencyKeys();
    }

    @Override
    public Outbox<Connection> outbox() {
        return JdbcOutbox.create();
    }

    @Override
    public void writeLedger(Connection transaction, String line) {
        InboxStatement.update(transaction, "write a line", "INSERT INTO ledger_lines (line) VALUES (?)", line);
    }

    @Override
    public List<String> ledger() {
        return database.query("SELECT line FROM ledger_lines ORDER BY n")
                .lines()
                .toList();
    }

    @Override
    public List<Event> appended() {
        return database.view().events(EventFilter.ALL, 1_000).stream()
                .map(EventRecord::event)
                .toList();
    }

    @Override
    public void age(Duration time) {
        database.age(time, "UPDATE processed_events SET processed_at = processed_at - $");
        database.age(
                time,
                "UPDATE inbox_held SET patience_ends = patience_ends - $, locked_until = locked_until - $,"
                        + " held_at = held_at - $, scheduled_at = scheduled_at - $, next_attempt_at = CASE WHEN next_attempt_at < @"
                        + " THEN next_attempt_at - $ ELSE next_attempt_at END");
        database.age(time, "UPDATE inbox_dead_letters SET failed_at = failed_at - $");
        database.age(time, "UPDATE inbox_pauses SET paused_since = paused_since - $, expires_at = expires_at - $");
        database.age(time, "UPDATE inbox_effects SET done_at = done_at - $");
        database.age(time, "UPDATE idempotency_keys SET locked_until = locked_until - $, expires_at = expires_at - $");
    }

    @Override
    public long marks(String group) {
        return Long.parseLong(
                database.query("SELECT count(*) FROM processed_events WHERE consumer_group = '" + group + "'"));
    }

    @Override
    public long effectCount(String group) {
        return Long.parseLong(
                database.query("SELECT count(*) FROM inbox_effects WHERE consumer_group = '" + group + "'"));
    }

    @Override
    public void close() {
        database.close();
    }
}
