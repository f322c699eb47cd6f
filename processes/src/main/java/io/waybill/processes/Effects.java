package io.waybill.processes;

import io.waybill.Event;
import io.waybill.inbox.Handler;
import io.waybill.inbox.PermanentException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** The effects of consumers: rows in a table without a unique key, so that an event that is applied twice leaves two rows. */
public final class Effects {
    /** Returns the number of a change: the payload itself, or its field n. */
    private static final Pattern NUMBER = Pattern.compile("^(-?[0-9]+)$|\"n\":(-?[0-9]+)");

    private Effects() {}

    public static void create(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE applied (seq bigint GENERATED ALWAYS AS IDENTITY, grp text, event_id uuid,"
                    + " key text, n bigint)");
            statement.execute("CREATE TABLE tried (event_id uuid, grp text, PRIMARY KEY (event_id, grp))");
        }
    }

    /** A handler that inserts a row for each event. */
    public static Handler<Connection> ledger(String group) {
        return (connection, event) -> {
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO applied (grp, event_id, key, n) VALUES (?, ?, ?, ?)")) {
                insert.setString(1, group);
                insert.setObject(2, event.id());
                insert.setString(3, event.key());
                insert.setLong(4, number(event));
                insert.executeUpdate();
            }
        };
    }

    /** A handler that inserts a row, but for negative numbers every fifth fails at its first attempt and every ninth always. */
    public static Handler<Connection> failing(DataSource other, String group) {
        Handler<Connection> ledger = ledger(group);
        return (connection, event) -> {
            ledger.handle(connection, event);
            long n = number(event);
            if (n < 0 && -n % 9 == 0) {
                throw new PermanentException("Number " + n + " fails permanently");
            }
            if (n < 0 && -n % 5 == 0 && first(other, group, event)) {
                throw new IllegalStateException("Number " + n + " fails at the first attempt");
            }
        };
    }

    private static long number(Event event) {
        Matcher number = NUMBER.matcher(event.payload());
        if (!number.find()) {
            throw new PermanentException("No number in " + event.payload());
        }
        return Long.parseLong(number.group(1) == null ? number.group(2) : number.group(1));
    }

    private static boolean first(DataSource other, String group, Event event) throws SQLException {
        try (Connection connection = other.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO tried (event_id, grp) VALUES (?, ?) ON CONFLICT DO NOTHING")) {
            insert.setObject(1, event.id());
            insert.setString(2, group);
            return insert.executeUpdate() == 1;
        }
    }
}
