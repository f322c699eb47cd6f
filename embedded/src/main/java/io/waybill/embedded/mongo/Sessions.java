package io.waybill.embedded.mongo;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The logical sessions of drivers, with their transactions and retryable writes.
 *
 * <p>A multi-document transaction is one PostgreSQL transaction in REPEATABLE READ on a connection of its own: a stable snapshot,
 * taken by the first operation. A write to a row that another transaction has written since then fails with WriteConflict and the
 * label TransientTransactionError, as in MongoDB. Any error ends the transaction, as in MongoDB.
 *
 * <p>If the connection to PostgreSQL breaks during COMMIT, a row that was written in the transaction tells whether it committed.
 * {@code pg_xact_status} cannot tell: after a crash, the number of a lost transaction is assigned again.
 */
final class Sessions {
    /** How long a write in a transaction waits for a row that another open transaction has written. */
    private static final String LOCK_WAIT = "5ms";

    /** MongoDB ends a transaction after this time, too. */
    private static final String IDLE_LIMIT = "60s";

    private static final int MAX_CONFLICTS = 100;

    private final String jdbcUrl;
    private final Connections connections;
    private final Engine engine;
    private final Map<BsonValue, Session> sessions = new ConcurrentHashMap<>();

    private enum State {
        NONE,
        ACTIVE,
        COMMITTED,
        ABORTED,
        COMMIT_UNKNOWN
    }

    /** A logical session: its latest transaction number, and how that transaction ended. */
    private static final class Session {
        private final UUID id;
        private long number = -1;
        private State state = State.NONE;
        private @Nullable Connection connection;

        /** The reply to the latest retryable write, for its repetition. */
        private BsonDocument reply = new BsonDocument();

        Session(UUID id) {
            this.id = id;
        }

        /** Returns the connection of the running transaction or command. */
        Connection connection() {
            if (connection == null) {
                throw new IllegalStateException("Session " + id + " has no connection");
            }
            return connection;
        }
    }

    Sessions(String jdbcUrl, Connections connections, Engine engine) throws SQLException {
        this.jdbcUrl = jdbcUrl;
        this.connections = connections;
        this.engine = engine;
        try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
            Connections.execute(
                    connection, "CREATE TABLE IF NOT EXISTS gateway_commits (session uuid PRIMARY KEY, txn bigint)");
        }
    }

    void close() {
        sessions.values().forEach(session -> Connections.discard(session.connection));
    }

    /** @throws SQLException when PostgreSQL is gone; the client loses its connection then */
    BsonDocument execute(String database, BsonDocument command) throws SQLException {
        try {
            if (command.getFirstKey().equals("endSessions")) {
                return end(command);
            }
            if (!command.containsKey("txnNumber")) {
                return single(new Session(new UUID(0, 0)), database, command, false);
            }
            BsonDocument lsid = command.getDocument("lsid");
            Session session = sessions.computeIfAbsent(
                    lsid.get("id"), id -> new Session(id.asBinary().asUuid()));
            synchronized (session) {
                if (!command.getBoolean("autocommit", BsonBoolean.TRUE).getValue()) {
                    return inTransaction(session, database, command);
                }
                // a retryable write: the driver may send it twice
                begin(session, command.getNumber("txnNumber").longValue());
                if (session.state == State.COMMIT_UNKNOWN) {
                    settle(session);
                }
                return session.state == State.COMMITTED ? session.reply : single(session, database, command, true);
            }
        } catch (CommandError e) {
            BsonDocument reply = new BsonDocument("ok", new BsonDouble(0))
                    .append("errmsg", new BsonString(String.valueOf(e.getMessage())))
                    .append("code", new BsonInt32(e.code()))
                    .append("codeName", new BsonString(EngineErrors.name(e.code())));
            if (e.isTransient()) {
                reply.append("errorLabels", new BsonArray(List.of(new BsonString("TransientTransactionError"))));
            }
            return reply;
        }
    }

    private BsonDocument end(BsonDocument command) {
        for (BsonValue id : command.getArray("endSessions")) {
            Session ended = sessions.remove(id.asDocument().get("id"));
            if (ended != null) {
                Connections.discard(ended.connection);
            }
        }
        return Bson.ok();
    }

    /** Runs a command that is its own transaction, in READ COMMITTED. After a conflict it is repeated, as mongod does. */
    private BsonDocument single(Session session, String database, BsonDocument command, boolean retryable)
            throws SQLException {
        for (int attempt = 1; ; attempt++) {
            Connection connection = connections.borrow();
            session.connection = connection;
            try {
                if (retryable) {
                    Connections.execute(connection, "BEGIN");
                }
                session.reply = engine.run(connection, database, command, false);
                if (retryable) {
                    commit(session);
                } else {
                    engine.giveBack(connection);
                }
                return session.reply;
            } catch (CommandError e) {
                undo(session, null);
                throw e;
            } catch (SQLException e) {
                undo(session, e);
                if (!EngineErrors.isConflict(e) || attempt == MAX_CONFLICTS) {
                    throw EngineErrors.translate(e, database, command, false);
                }
            }
        }
    }

    private BsonDocument inTransaction(Session session, String database, BsonDocument command) throws SQLException {
        String name = command.getFirstKey();
        long number = command.getNumber("txnNumber").longValue();
        try {
            if (command.getBoolean("startTransaction", BsonBoolean.FALSE).getValue()) {
                begin(session, number);
                undo(session, null);
                Connection connection = connections.borrow();
                session.connection = connection;
                session.state = State.ACTIVE;
                Connections.execute(
                        connection,
                        "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout = '" + LOCK_WAIT
                                + "'; SET LOCAL idle_in_transaction_session_timeout = '" + IDLE_LIMIT + "'");
            }
            if (name.equals("commitTransaction") && session.number == number) {
                if (session.state == State.COMMIT_UNKNOWN) {
                    settle(session);
                }
                if (session.state == State.ACTIVE) {
                    commit(session);
                }
                if (session.state == State.COMMITTED) {
                    return Bson.ok();
                }
            }
            if (session.number != number || session.state != State.ACTIVE) {
                throw new CommandError(
                        EngineErrors.NO_SUCH_TRANSACTION, "Transaction " + number + " is not in progress", true);
            }
            boolean abort = name.equals("abortTransaction");
            BsonDocument reply = abort ? Bson.ok() : engine.run(session.connection(), database, command, true);
            if (abort || reply.containsKey("writeErrors")) {
                undo(session, null);
            }
            return reply;
        } catch (CommandError e) {
            if (session.number == number) {
                undo(session, null);
            }
            throw e;
        } catch (SQLException e) {
            undo(session, e);
            throw EngineErrors.translate(e, database, command, true);
        }
    }

    /** Makes this number the latest of the session. An older transaction that is still open is aborted. */
    private void begin(Session session, long number) throws SQLException {
        if (number < session.number) {
            throw new CommandError(EngineErrors.TRANSACTION_TOO_OLD, "txnNumber " + number + " is too old", false);
        }
        if (number > session.number) {
            undo(session, null);
            session.number = number;
            session.state = State.NONE;
        }
    }

    private void commit(Session session) throws SQLException {
        Connection connection = session.connection();
        Connections.text(
                connection,
                "INSERT INTO gateway_commits SELECT ?, ? WHERE pg_current_xact_id_if_assigned() IS NOT NULL"
                        + " ON CONFLICT (session) DO UPDATE SET txn = excluded.txn RETURNING txn",
                session.id,
                session.number);
        try {
            Connections.execute(connection, "COMMIT");
        } catch (SQLException e) {
            if (EngineErrors.isGone(e)) {
                session.state = State.COMMIT_UNKNOWN;
            }
            throw e;
        }
        session.state = State.COMMITTED;
        session.connection = null;
        engine.giveBack(connection);
    }

    private void settle(Session session) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
            String found = Connections.text(
                    connection,
                    "SELECT txn FROM gateway_commits WHERE session = ? AND txn = ?",
                    session.id,
                    session.number);
            session.state = found == null ? State.ABORTED : State.COMMITTED;
        }
    }

    /** Rolls back what is open. Throws the cause if it says that PostgreSQL is gone. */
    private void undo(Session session, @Nullable SQLException cause) throws SQLException {
        Connection connection = session.connection;
        session.connection = null;
        if (session.state == State.ACTIVE) {
            session.state = State.ABORTED;
        }
        try {
            if (connection != null) {
                Connections.execute(connection, "ROLLBACK");
                engine.giveBack(connection);
            }
        } catch (SQLException broken) {
            Connections.discard(connection);
        }
        if (cause != null && EngineErrors.isGone(cause)) {
            connections.discardIdle();
            throw cause;
        }
    }
}
