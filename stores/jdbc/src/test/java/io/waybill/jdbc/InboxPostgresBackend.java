package io.waybill.jdbc;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.inbox.Effects;
import io.waybill.inbox.IdempotencyKeys;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxView;
import io.waybill.operate.EventFilter;
import io.waybill.operate.EventRecord;
import io.waybill.testkit.inbox.InboxBackend;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;

/** Inboxes beside an outbox in a fresh database. */
final class InboxPostgresBackend implements InboxBackend<Connection> {
    private final PostgresBackend database = new PostgresBackend();
    private final PostgresInbox inbox = PostgresInbox.on(database.dataSource());

    InboxPostgresBackend() {
        InboxSchema.apply(database.dataSource());
        database.execute("CREATE TABLE lines (n bigint GENERATED ALWAYS AS IDENTITY, line text NOT NULL)");
    }

    PostgresBackend database() {
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
        InboxStatement.update(transaction, "write a line", "INSERT INTO lines (line) VALUES (?)", line);
    }

    @Override
    public List<String> ledger() {
        return database.query("SELECT line FROM lines ORDER BY n").lines().toList();
    }

    @Override
    public List<Event> appended() {
        return database.view().events(EventFilter.ALL, 1_000).stream()
                .map(EventRecord::event)
                .toList();
    }

    @Override
    public void age(Duration time) {
        String past = "interval '" + time.toMillis() + " milliseconds'";
        for (String sql : List.of(
                "UPDATE processed_events SET processed_at = processed_at - $",
                "UPDATE inbox_held SET next_attempt_at = next_attempt_at - $, patience_ends = patience_ends - $,"
                        + " locked_until = locked_until - $, held_at = held_at - $",
                "UPDATE inbox_dead_letters SET failed_at = failed_at - $",
                "UPDATE inbox_effects SET done_at = done_at - $",
                "UPDATE idempotency_keys SET locked_until = locked_until - $, expires_at = expires_at - $")) {
            database.execute(sql.replace("$", past));
        }
    }

    @Override
    public long marks(String group) {
        return Long.parseLong(
                database.query("SELECT count(*) FROM processed_events WHERE consumer_group = '" + group + "'"));
    }

    @Override
    public void close() {
        database.close();
    }
}
