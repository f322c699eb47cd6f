package io.waybill.examples.quality;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** A lock in the database that a test holds to block other transactions. */
final class HeldLock {
    private static final int NUMBER = 4711;

    private final Connection connection;

    private HeldLock(Connection connection) {
        this.connection = connection;
    }

    /** Blocks inserts into the table until the lock is released. */
    static HeldLock onInsertsInto(String table, String database) throws SQLException {
        return trigger(NUMBER, "TRIGGER wait_in_insert BEFORE", "", table, database);
    }

    /** A transaction that has inserted into the table waits in its COMMIT until this is released. */
    static HeldLock onCommitsInto(String table, String database) throws SQLException {
        return trigger(
                NUMBER + 1,
                "CONSTRAINT TRIGGER wait_in_commit AFTER",
                "DEFERRABLE INITIALLY DEFERRED",
                table,
                database);
    }

    private static HeldLock trigger(int number, String kind, String when, String table, String database)
            throws SQLException {
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            String function = "wait_for_" + number;
            statement.execute("CREATE FUNCTION " + function + "() RETURNS trigger LANGUAGE plpgsql AS"
                    + " 'BEGIN PERFORM pg_advisory_xact_lock_shared(" + number + "); RETURN NEW; END'");
            statement.execute("CREATE " + kind + " INSERT ON " + table + " " + when + " FOR EACH ROW EXECUTE FUNCTION "
                    + function + "()");
        }
        return by("SELECT pg_advisory_xact_lock(" + number + ")", database);
    }

    /** Blocks changes of rows of the table until the lock is released. */
    static HeldLock onRowsOf(String table, String database) throws SQLException {
        return by("SELECT * FROM " + table + " FOR UPDATE", database);
    }

    private static HeldLock by(String query, String database) throws SQLException {
        Connection connection = DriverManager.getConnection(database);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(query);
        }
        return new HeldLock(connection);
    }

    void release() throws SQLException {
        connection.close();
    }
}
