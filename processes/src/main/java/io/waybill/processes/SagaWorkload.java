package io.waybill.processes;

import io.waybill.Event;
import io.waybill.faults.saga.SagaEffects;
import io.waybill.inbox.Handler;
import io.waybill.inbox.InboxBuilder;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.saga.JdbcCommandStore;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.retry.RetryPolicy;
import io.waybill.saga.Command;
import io.waybill.saga.ExternalCall;
import io.waybill.saga.RefusedException;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.StepBuilder;
import io.waybill.saga.admin.SagaActions;
import io.waybill.saga.admin.StuckStep;
import io.waybill.saga.participant.Answer;
import io.waybill.saga.participant.SagaParticipant;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Sagas over participants whose effects are rows in a table without a unique key, so that an effect that is applied twice leaves two
 * rows. The business key decides which participant refuses, which one executes a command but never answers, and which order is rolled
 * back with its start. The check needs the tables only.
 */
public final class SagaWorkload {
    private static final String GROUP = "saga-participants";
    private static final List<String> EFFECTIVE = List.of("reserve", "charge", "label", "pay", "ship");
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final RetryPolicy RETRY = new RetryPolicy(3, Duration.ofMillis(300), Duration.ofSeconds(1));

    private final DataSource dataSource;
    private final Saga<Order> saga;

    /** The data of a saga. */
    public record Order(String id, String receipt) {}

    /**
     * The result of a check.
     *
     * @param started the sagas whose start committed
     * @param ended those that have ended
     * @param inDoubt the steps that were in doubt
     * @param stale the replies and results that came too late
     */
    public record Verdict(
            int started, int ended, int completed, int rolledBack, int inDoubt, int stale, List<String> violations) {}

    public SagaWorkload(DataSource dataSource) {
        this.dataSource = dataSource;
        this.saga = definition();
    }

    public static void create(DataSource dataSource) throws SQLException {
        SagaSchema.apply(dataSource);
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE saga_effects (seq bigint GENERATED ALWAYS AS IDENTITY, key text, step text,"
                    + " undone boolean)");
            statement.execute("CREATE TABLE saga_gateway (call_key text PRIMARY KEY, state text)");
            statement.execute("CREATE TABLE saga_orders (key text PRIMARY KEY)");
        }
    }

    Saga<Order> saga() {
        return saga;
    }

    private Saga<Order> definition() {
        StepBuilder<Order> reserve = Saga.named("chaos-order", Order.class)
                .step("reserve")
                .command(order -> Command.to("saga.reserve", order.id(), "{}"))
                .onReply("saga.reserved")
                .onRefusal("saga.not-reserved")
                .timeout(LIMIT)
                .retry(RETRY)
                .compensation(order -> Command.to("saga.release", order.id(), "{}"))
                .onCompensated("saga.released")
                .compensationTimeout(LIMIT)
                .compensationRetry(RETRY);
        StepBuilder<Order> charge = reserve.then("charge")
                .external(this::charge)
                .timeout(LIMIT)
                .retry(RETRY)
                .externalCompensation(this::refund)
                .compensationTimeout(LIMIT)
                .compensationRetry(RETRY);
        return charge.step("label")
                .local(Connection.class, (connection, order) -> {
                    effect(connection, order.id(), "label", false);
                    return order;
                })
                .retry(RETRY)
                .localCompensation(Connection.class, (connection, order) -> {
                    effect(connection, order.id(), "label", true);
                    return order;
                })
                .compensationRetry(RETRY)
                .after("reserve")
                .step("pay")
                .command(order -> Command.to("saga.pay", order.id(), "{}"))
                .onReply("saga.paid")
                .onRefusal("saga.not-paid")
                .timeout(LIMIT)
                .retry(RETRY)
                .pivot()
                .after("charge", "label")
                .then("ship")
                .local(Connection.class, (connection, order) -> {
                    effect(connection, order.id(), "ship", false);
                    return order;
                })
                .retriable()
                .build();
    }

    /** Adds the handlers of the participants. */
    InboxBuilder<Connection> participants(InboxBuilder<Connection> inbox) {
        JdbcCommandStore commands = JdbcCommandStore.on(dataSource);
        SagaParticipant<Connection> answering = SagaParticipant.of(GROUP, commands, JdbcOutbox.create());
        SagaParticipant<Connection> mute = SagaParticipant.of(GROUP, commands, (connection, events) -> {});
        return inbox.on("saga.reserve", command(answering, mute, "reserve", "saga.reserved", "saga.not-reserved"))
                .on("saga.pay", command(answering, answering, "pay", "saga.paid", "saga.not-paid"))
                .on("saga.release", answering.compensation("saga.released", (connection, event) -> {
                    effect(connection, event.key(), "reserve", true);
                    return Map.of();
                }));
    }

    private static Handler<Connection> command(
            SagaParticipant<Connection> answering,
            SagaParticipant<Connection> mute,
            String step,
            String done,
            String refused) {
        SagaParticipant.CommandHandler<Connection> work = (connection, event) -> {
            if (oneIn(10, event.key(), step)) {
                return Answer.refused(refused, event.key(), Map.of("reason", "chance"));
            }
            effect(connection, event.key(), step, false);
            return Answer.done(done, event.key(), Map.of());
        };
        Handler<Connection> answered = answering.command(work);
        Handler<Connection> silent = mute.command(work);
        return (connection, event) -> handler(event, answered, silent).handle(connection, event);
    }

    private static Handler<Connection> handler(Event event, Handler<Connection> answered, Handler<Connection> silent) {
        return oneIn(12, event.key(), "silence") ? silent : answered;
    }

    static boolean oneIn(int count, String key, String what) {
        return Math.floorMod(Objects.hash(key, what) * 0x9E3779B9, count) == 0;
    }

    /** A service with a database of its own. It charges once for each key, and not at all for one that was voided. */
    private Order charge(Order order, ExternalCall call) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            boolean refuses = oneIn(10, order.id(), "charge");
            if (insert(connection, call.idempotencyKey(), refuses ? "REFUSED" : "CHARGED") && !refuses) {
                effect(connection, order.id(), "charge", false);
            }
            String state = state(connection, call.idempotencyKey());
            connection.commit();
            if (!state.equals("CHARGED")) {
                throw new RefusedException("The gateway answers " + state);
            }
        }
        return new Order(order.id(), call.idempotencyKey());
    }

    private Order refund(Order order, ExternalCall call) throws SQLException {
        String key = String.valueOf(call.compensates());
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            if (!insert(connection, key, "VOIDED")
                    && update(
                                    connection,
                                    "UPDATE saga_gateway SET state = 'VOIDED' WHERE call_key = ? AND state ="
                                            + " 'CHARGED'",
                                    key)
                            == 1) {
                effect(connection, order.id(), "charge", true);
            }
            connection.commit();
        }
        return order;
    }

    private static boolean insert(Connection connection, String key, String state) throws SQLException {
        return update(
                        connection,
                        "INSERT INTO saga_gateway (call_key, state) VALUES (?, ?) ON CONFLICT DO NOTHING",
                        key,
                        state)
                == 1;
    }

    private static String state(Connection connection, String key) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT state FROM saga_gateway WHERE call_key = ?")) {
            query.setString(1, key);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    private static void effect(Connection connection, String key, String step, boolean undone) throws SQLException {
        update(connection, "INSERT INTO saga_effects (key, step, undone) VALUES (?, ?, " + undone + ")", key, step);
    }

    static int update(Connection connection, String sql, String... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    /** Retries every step that waits for a person, as an operator does after an outage. */
    public void retryStuck() throws SQLException {
        List<StuckStep> stuck = new ArrayList<>();
        query(
                "SELECT id, name, business_key, stuck FROM sagas s WHERE stuck <> '' AND ended_at IS NULL"
                        + " AND NOT EXISTS (SELECT 1 FROM saga_signals g WHERE g.saga_id = s.id)",
                row -> {
                    for (String step : row.getString(4).split(",", -1)) {
                        stuck.add(
                                new StuckStep(row.getObject(1, UUID.class), row.getString(2), row.getString(3), step));
                    }
                });
        SagaActions.on(JdbcSagaStore.on(dataSource)).retry(stuck, "chaos", "the outage is over");
    }

    /** Returns the number of sagas that have not ended. */
    public int open() throws SQLException {
        int[] open = new int[1];
        query("SELECT count(*) FROM sagas WHERE ended_at IS NULL", row -> open[0] = row.getInt(1));
        return open[0];
    }

    /** Judges invariant I8, and that exactly the orders whose transaction committed have a saga. */
    public Verdict check() throws SQLException {
        Map<String, SagaEffects> effects = new HashMap<>();
        query("SELECT key, step, undone FROM saga_effects ORDER BY seq", row -> {
            SagaEffects of = effects.computeIfAbsent(row.getString(1), key -> new SagaEffects());
            if (row.getBoolean(3)) {
                of.undid(row.getString(2));
            } else {
                of.did(row.getString(2));
            }
        });
        List<String> violations = new ArrayList<>();
        int[] counts = new int[6];
        query(
                "SELECT business_key, status, (SELECT count(*) FROM saga_history h WHERE h.saga_id = s.id AND kind ="
                        + " 'ENDED'), ended_at IS NOT NULL FROM sagas s",
                row -> {
                    String key = row.getString(1);
                    SagaStatus status = SagaStatus.valueOf(row.getString(2));
                    counts[0]++;
                    counts[1] += row.getBoolean(4) ? 1 : 0;
                    counts[2] += status == SagaStatus.COMPLETED ? 1 : 0;
                    counts[3] += status == SagaStatus.ROLLED_BACK ? 1 : 0;
                    SagaEffects found = effects.getOrDefault(key, new SagaEffects());
                    for (String violation : found.violations(saga, status, row.getInt(3), EFFECTIVE)) {
                        violations.add(key + ": " + violation + " (" + found + ")");
                    }
                });
        query(
                "SELECT coalesce(sum(CASE WHEN kind = 'STEP_IN_DOUBT' THEN 1 END), 0), coalesce(sum(CASE WHEN kind ="
                        + " 'STALE_REPLY' THEN 1 END), 0) FROM saga_history",
                row -> {
                    counts[4] = row.getInt(1);
                    counts[5] = row.getInt(2);
                });
        query(
                "SELECT coalesce(o.key, s.business_key), o.key IS NULL FROM saga_orders o FULL JOIN sagas s ON"
                        + " s.business_key = o.key WHERE o.key IS NULL OR s.id IS NULL",
                row -> violations.add(row.getString(1)
                        + (row.getBoolean(2) ? ": a saga without its order" : ": an order without its saga")));
        return new Verdict(counts[0], counts[1], counts[2], counts[3], counts[4], counts[5], List.copyOf(violations));
    }

    private interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    private void query(String sql, RowReader reader) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                reader.read(row);
            }
        }
    }
}
