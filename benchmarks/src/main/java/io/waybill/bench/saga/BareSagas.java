package io.waybill.bench.saga;

import io.waybill.bench.contest.BenchServers;
import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.Contestants;
import io.waybill.bench.contest.RunningRelay;
import io.waybill.bench.contest.Schema;
import io.waybill.bench.load.Entry;
import io.waybill.bench.measure.DeliveryCheck;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * A state machine written by hand: a row for each saga with the number of its step, a mark for each event that was processed, and
 * the bare update loop as the relay of each outbox. It has no time-outs, no compensations and no history, and keeps no order.
 */
public final class BareSagas implements SagaContestant {
    private static final int BATCH = 500;
    private static final int CONSUMERS = 4;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final LongAdder ended = new LongAdder();
    private final Contestant outbox;
    private final String commands;
    private final String replies;
    private final Schema shop;
    private final Schema participant;

    private BareSagas(BenchServers servers) throws Exception {
        try {
            String run = "bare" + System.nanoTime();
            commands = run + ".commands";
            replies = run + ".replies";
            outbox = Contestants.named("update", servers, BATCH);
            open.push(SagaTopics.create(servers.bootstrap(), List.of(commands, replies)));
            shop = schema("saga_shop");
            participant = schema("saga_participant");
            shop.execute("CREATE TABLE sagas (id text PRIMARY KEY, step int NOT NULL, data text NOT NULL,"
                    + " updated_at timestamptz NOT NULL DEFAULT now(), ended_at timestamptz)");
            participant.execute(Ledger.TABLE);
            relay(shop, commands);
            relay(participant, replies);
            for (int i = 0; i < CONSUMERS; i++) {
                open.push(BareConsumer.start(servers.bootstrap(), commands, participant, this::execute, ended));
                open.push(BareConsumer.start(servers.bootstrap(), replies, shop, this::advance, ended));
            }
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    /** Starts the relays and the consumers. */
    public static SagaContestant start(BenchServers servers) throws Exception {
        return new BareSagas(servers);
    }

    private Schema schema(String name) throws SQLException {
        Schema schema = outbox.create(name);
        open.push(schema);
        open.push(schema::drop);
        schema.execute("CREATE TABLE processed (event text PRIMARY KEY, processed_at timestamptz DEFAULT now())");
        return schema;
    }

    private void relay(Schema schema, String topic) {
        RunningRelay relay = outbox.relay(schema, topic);
        open.push(relay);
        relay.begin();
    }

    @Override
    public void start(int number) throws SQLException {
        try (Connection connection = shop.connect()) {
            connection.setAutoCommit(false);
            String saga = Integer.toString(number);
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO sagas (id, step, data) VALUES (?, 1, ?)")) {
                insert.setString(1, saga);
                insert.setString(2, "{\"text\":\"" + SagaSetUp.TEXT + "\"}");
                insert.executeUpdate();
            }
            append(connection, saga, 1, commands);
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    private void append(Connection connection, String saga, int step, String topic) throws SQLException {
        String payload = "{\"step\":" + step + ",\"text\":\"" + SagaSetUp.TEXT + "\"}";
        outbox.append(connection, List.of(new Entry(step, saga, payload)), topic);
    }

    /** Returns false: a command ends no saga. */
    private boolean execute(Connection connection, String saga, int step) throws SQLException {
        if (!mark(connection, saga, step)) {
            return false;
        }
        Ledger.add(connection, saga, step);
        append(connection, saga, step, replies);
        return false;
    }

    /** Returns whether the saga has ended. */
    private boolean advance(Connection connection, String saga, int step) throws SQLException {
        if (!mark(connection, saga, step) || !isAt(connection, saga, step)) {
            return false;
        }
        boolean last = step == STEPS;
        try (PreparedStatement update = connection.prepareStatement("UPDATE sagas SET step = ?, data = ?,"
                + " updated_at = now(), ended_at = CASE WHEN ? THEN now() END WHERE id = ?")) {
            update.setInt(1, step + 1);
            update.setString(2, "{\"text\":\"" + SagaSetUp.TEXT + "\"}");
            update.setBoolean(3, last);
            update.setString(4, saga);
            update.executeUpdate();
        }
        if (!last) {
            append(connection, saga, step + 1, commands);
        }
        return last;
    }

    private static boolean mark(Connection connection, String saga, int step) throws SQLException {
        try (PreparedStatement mark =
                connection.prepareStatement("INSERT INTO processed (event) VALUES (?) ON CONFLICT DO NOTHING")) {
            mark.setString(1, saga + "/" + step);
            return mark.executeUpdate() == 1;
        }
    }

    private static boolean isAt(Connection connection, String saga, int step) throws SQLException {
        try (PreparedStatement lock =
                connection.prepareStatement("SELECT 1 FROM sagas WHERE id = ? AND step = ? FOR UPDATE")) {
            lock.setString(1, saga);
            lock.setInt(2, step);
            return lock.executeQuery().next();
        }
    }

    @Override
    public long ended() {
        return ended.sum();
    }

    @Override
    public double commits() throws SQLException {
        return shop.writingTransactions();
    }

    @Override
    public DeliveryCheck check(int sagas) throws SQLException {
        return Ledger.check(participant, sagas);
    }

    @Override
    public void close() {
        SagaSetUp.closeAll(open);
    }
}
