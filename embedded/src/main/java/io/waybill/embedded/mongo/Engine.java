package io.waybill.embedded.mongo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Runs commands as functions of the DocumentDB extension. */
final class Engine {
    private static final Set<String> NOT_FOR_THE_ENGINE = Set.of(
            "lsid",
            "txnNumber",
            "autocommit",
            "startTransaction",
            "stmtId",
            "$db",
            "$clusterTime",
            "$readPreference",
            "readConcern",
            "writeConcern",
            "apiVersion",
            "apiStrict",
            "apiDeprecationErrors");

    private static final String PAGE = "_cursor_first_page(?, B)";
    private static final String MORE = "cursor_get_more(?, B, B)";
    private static final String ON_ITS_CONNECTION = "persistconnection";

    private final Connections connections;
    private final BsonDocument hello;
    private final Map<Long, Cursor> cursors = new ConcurrentHashMap<>();

    /**
     * An open cursor.
     *
     * @param continuation the engine's own state of it
     * @param pinned the connection that it needs, unless it belongs to a transaction
     */
    private record Cursor(byte[] continuation, @Nullable Connection pinned) {}

    Engine(Connections connections, BsonDocument hello) {
        this.connections = connections;
        this.hello = hello;
    }

    void close() {
        cursors.values().forEach(cursor -> Connections.discard(cursor.pinned()));
    }

    /** Keeps a connection for the next command, unless a cursor needs it. */
    void giveBack(Connection connection) {
        if (cursors.values().stream().noneMatch(cursor -> cursor.pinned() == connection)) {
            connections.giveBack(connection);
        }
    }

    BsonDocument run(Connection connection, String database, BsonDocument full, boolean inTransaction)
            throws SQLException {
        String name = full.getFirstKey();
        String target = full.isString(name) ? full.getString(name).getValue() : "";
        BsonDocument command = full.clone();
        command.keySet().removeAll(NOT_FOR_THE_ENGINE);
        byte[] spec = Bson.encode(command);
        return switch (name) {
            case "hello", "isMaster", "ismaster" ->
                hello.clone().append("localTime", new BsonDateTime(System.currentTimeMillis()));
            case "buildInfo", "buildinfo" -> Bson.ok().append("version", new BsonString("7.0.0"));
            case "ping", "refreshSessions" -> Bson.ok();
            case "insert", "update", "delete" -> {
                BsonDocument reply = Connections.document(
                        connection, "SELECT p_result FROM documentdb_api." + name + "(?, B)", database, spec);
                if (reply.containsKey("writeErrors")) {
                    translateWriteErrors(connection, reply, database, command, inTransaction);
                }
                yield reply;
            }
            case "findAndModify", "findandmodify" ->
                Connections.document(
                        connection, "SELECT p_result FROM documentdb_api.find_and_modify(?, B)", database, spec);
            case "find", "aggregate" -> page(connection, name + PAGE, ON_ITS_CONNECTION, inTransaction, database, spec);
            case "listCollections" ->
                page(connection, "list_collections" + PAGE, ON_ITS_CONNECTION, inTransaction, database, spec);
            case "listIndexes" ->
                page(connection, "list_indexes" + PAGE, ON_ITS_CONNECTION, inTransaction, database, spec);
            case "getMore" -> more(connection, command, inTransaction, database, spec);
            case "killCursors" -> killCursors(command);
            case "count" ->
                Connections.document(
                        connection, "SELECT document FROM documentdb_api.count_query(?, B)", database, spec);
            case "distinct" ->
                Connections.document(
                        connection, "SELECT document FROM documentdb_api.distinct_query(?, B)", database, spec);
            case "explain" -> Explain.find(connection, database, command.getDocument(name));
            case "create" -> create(connection, database, target, spec);
            case "createIndexes" -> {
                Connections.text(connection, "SELECT documentdb_api.create_collection(?, ?)", database, target);
                yield Connections.document(
                        connection,
                        "SELECT documentdb_api_internal.create_indexes_non_concurrently(?, B, true)",
                        database,
                        spec);
            }
            case "dropIndexes" ->
                Connections.document(connection, "CALL documentdb_api.drop_indexes(?, B, NULL)", database, spec);
            case "collMod" ->
                Connections.document(connection, "SELECT documentdb_api.coll_mod(?, ?, B)", database, target, spec);
            case "drop" -> drop(connection, database, target);
            case "dropDatabase" -> {
                Connections.text(connection, "SELECT documentdb_api.drop_database(?)", database);
                yield Bson.ok();
            }
            case "listDatabases" ->
                Connections.document(connection, "SELECT documentdb_api.list_databases(B)", (Object) spec);
            default -> throw new CommandError(EngineErrors.COMMAND_NOT_FOUND, "no such command: '" + name + "'", false);
        };
    }

    private static BsonDocument create(Connection connection, String database, String target, byte[] spec)
            throws SQLException {
        String known = Connections.text(
                connection,
                "SELECT 1 FROM documentdb_api_catalog.collections WHERE database_name = ? AND collection_name = ?",
                database,
                target);
        if (known != null) {
            throw new CommandError(
                    EngineErrors.NAMESPACE_EXISTS, "Collection " + database + "." + target + " already exists", false);
        }
        return Connections.document(connection, "SELECT documentdb_api.create_collection_view(?, B)", database, spec);
    }

    private static BsonDocument drop(Connection connection, String database, String target) throws SQLException {
        if ("t".equals(Connections.text(connection, "SELECT documentdb_api.drop_collection(?, ?)", database, target))) {
            return Bson.ok();
        }
        throw new CommandError(EngineErrors.NAMESPACE_NOT_FOUND, "ns not found", false);
    }

    private BsonDocument more(
            Connection connection, BsonDocument command, boolean inTransaction, String database, byte[] spec)
            throws SQLException {
        Cursor cursor = cursors.remove(command.getNumber("getMore").longValue());
        if (cursor == null) {
            throw new CommandError(
                    EngineErrors.CURSOR_NOT_FOUND, "cursor " + command.get("getMore") + " not found", false);
        }
        Connection pinned = cursor.pinned();
        if (pinned == null) {
            return page(connection, MORE, "false", inTransaction, database, spec, cursor.continuation());
        }
        BsonDocument next = page(pinned, MORE, "true", inTransaction, database, spec, cursor.continuation());
        giveBack(pinned); // unless it has a further page
        return next;
    }

    private BsonDocument killCursors(BsonDocument command) {
        BsonArray ids = command.getArray("cursors");
        for (BsonValue id : ids) {
            Cursor killed = cursors.remove(id.asNumber().longValue());
            if (killed != null) {
                Connections.discard(killed.pinned());
            }
        }
        return Bson.ok().append("cursorsKilled", ids);
    }

    private BsonDocument page(
            Connection connection, String function, String pin, boolean inTransaction, Object... arguments)
            throws SQLException {
        String sql = "SELECT documentdb_core.bson_to_bytea(cursorpage), documentdb_core.bson_to_bytea(continuation), "
                + pin + " FROM documentdb_api." + function;
        try (PreparedStatement statement = Connections.prepare(connection, sql, arguments);
                ResultSet result = statement.executeQuery()) {
            result.next();
            BsonDocument reply = Bson.decode(result.getBytes(1));
            long id = reply.getDocument("cursor").getNumber("id").longValue();
            if (id != 0) {
                boolean pinned = result.getBoolean(3) && !inTransaction;
                cursors.put(id, new Cursor(result.getBytes(2), pinned ? connection : null));
            }
            return reply;
        }
    }

    /** Replaces the engine's error codes by MongoDB's. A conflict is an error of the whole command. */
    private static void translateWriteErrors(
            Connection connection, BsonDocument reply, String database, BsonDocument command, boolean inTransaction)
            throws SQLException {
        for (BsonValue value : reply.getArray("writeErrors")) {
            BsonDocument error = value.asDocument();
            String message = error.getString("errmsg").getValue();
            SQLException cause = new SQLException(
                    message, EngineErrors.sqlState(error.getInt32("code").getValue()));
            if (EngineErrors.isConflict(cause)) {
                throw cause;
            }
            CommandError translated = EngineErrors.translate(cause, database, command, inTransaction);
            error.append("code", new BsonInt32(translated.code()));
            error.append("errmsg", new BsonString(String.valueOf(translated.getMessage())));
            if (inTransaction
                    && translated.code() == EngineErrors.DUPLICATE_KEY
                    && command.containsKey("insert")
                    && message.contains("'_id_'")
                    && !isVisible(
                            connection,
                            database,
                            command,
                            error.getInt32("index").getValue())) {
                // In MongoDB, an equal document that is newer than the snapshot is a conflict.
                throw new SQLException(message, "40001");
            }
        }
    }

    private static boolean isVisible(Connection connection, String database, BsonDocument insert, int index)
            throws SQLException {
        BsonValue id = insert.getArray("documents").get(index).asDocument().get("_id");
        BsonDocument count =
                new BsonDocument("count", insert.get("insert")).append("query", new BsonDocument("_id", id));
        BsonDocument seen = Connections.document(
                connection, "SELECT document FROM documentdb_api.count_query(?, B)", database, Bson.encode(count));
        return seen.getNumber("n").intValue() > 0;
    }
}
