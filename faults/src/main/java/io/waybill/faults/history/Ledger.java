package io.waybill.faults.history;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The business tables of the writers: a row for each key, which they lock and update, and a row for each change. The latter
 * show which transactions were committed, even if a writer lost the answer to its commit.
 */
public final class Ledger {
    private Ledger() {}

    public static void create(String jdbcUrl, int keys) {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE business (name varchar(255) NOT NULL PRIMARY KEY, n bigint DEFAULT 0 NOT NULL)");
            statement.execute("CREATE TABLE ledger (event_id varchar(36) NOT NULL PRIMARY KEY,"
                    + " name varchar(255) NOT NULL, n bigint NOT NULL)");
            for (int key = 1; key <= keys; key++) {
                statement.addBatch("INSERT INTO business (name) VALUES ('key-" + key + "')");
            }
            statement.executeBatch();
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot create the business tables on " + jdbcUrl, e);
        }
    }

    /** Locks the row of the key until the transaction ends. Inserts the row if it is missing. */
    public static long lock(Connection connection, String key) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT n FROM business WHERE name = ? FOR UPDATE")) {
            query.setString(1, key);
            try (ResultSet row = query.executeQuery()) {
                if (row.next()) {
                    return row.getLong(1);
                }
            }
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO business (name) VALUES (?)")) {
            insert.setString(1, key);
            insert.executeUpdate();
            return 0;
        }
    }

    /** Inserts the changes in order. The transaction must hold the locks of their keys. */
    public static void record(Connection connection, Collection<Written> events) throws SQLException {
        Map<String, Long> latest = new LinkedHashMap<>();
        try (PreparedStatement change =
                        connection.prepareStatement("INSERT INTO ledger (event_id, name, n) VALUES (?, ?, ?)");
                PreparedStatement count = connection.prepareStatement("UPDATE business SET n = ? WHERE name = ?")) {
            for (Written event : events) {
                change.setString(1, event.id().toString());
                change.setString(2, event.key());
                change.setLong(3, event.n());
                change.addBatch();
                latest.put(event.key(), event.n());
            }
            change.executeBatch();
            for (Map.Entry<String, Long> key : latest.entrySet()) {
                count.setLong(1, key.getValue());
                count.setString(2, key.getKey());
                count.addBatch();
            }
            count.executeBatch();
        }
    }

    /** Returns the ids of all committed events. */
    public static Set<UUID> committed(String jdbcUrl) {
        Set<UUID> committed = new HashSet<>();
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT event_id FROM ledger")) {
            while (rows.next()) {
                committed.add(UUID.fromString(rows.getString(1)));
            }
            return committed;
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot read the ledger on " + jdbcUrl, e);
        }
    }
}
