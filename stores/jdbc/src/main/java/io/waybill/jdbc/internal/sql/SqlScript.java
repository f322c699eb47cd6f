package io.waybill.jdbc.internal.sql;

import io.waybill.WaybillException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;

/**
 * Statements that create tables. Where each of them is final at once, an interrupted run leaves some tables behind; the scripts
 * of such databases therefore skip what is there, and record the version last.
 */
public record SqlScript(String text) {
    /** Whether nothing is left to do; throws when nothing can be done. */
    @FunctionalInterface
    public interface Check {
        boolean done() throws SQLException;
    }

    /** @param folder of the database */
    public static SqlScript in(String folder, String name) {
        return new SqlScript(read(folder + "/" + name));
    }

    public static String read(String path) {
        try (InputStream script = SqlScript.class.getResourceAsStream("/io/waybill/jdbc/" + path)) {
            if (script == null) {
                throw new WaybillException(path + " is missing from the jar. Use an intact build of Waybill.");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @return whether it was run, one caller at a time */
    public boolean apply(Connection connection, Check check) throws SQLException {
        Dialect dialect = Dialect.of(connection);
        dialect.lockSchema(connection);
        try (Statement statement = connection.createStatement()) {
            if (check.done()) {
                return false;
            }
            if (dialect.transactionalTables()) {
                statement.execute(text);
                return true;
            }
            for (String sql : statements()) {
                statement.execute(sql);
            }
            connection.commit(); // the version, too, before the next caller looks for it
            return true;
        } finally {
            dialect.unlockSchema(connection);
        }
    }

    /** A statement ends with its line. */
    private List<String> statements() {
        return Stream.of(text.replaceAll("(?m)^\\s*--.*$", "").split(";[ \t]*\n"))
                .map(String::strip)
                .filter(sql -> !sql.isEmpty())
                .toList();
    }
}
