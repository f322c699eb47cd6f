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
 * A script that creates tables. Where each statement commits by itself, an interrupted run leaves some of the tables behind. The
 * scripts of such databases therefore skip tables that exist, and record the version last.
 */
public record SqlScript(String text) {
    /** Tells whether a script has been applied before. Throws when the existing tables prevent it. */
    @FunctionalInterface
    public interface AppliedCheck {
        boolean isApplied() throws SQLException;
    }

    /** @param folder the folder of the database below {@code io/waybill/jdbc} */
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

    /**
     * Executes the script unless the check says that it has been applied. One caller at a time checks and executes.
     *
     * @return whether the script was executed
     */
    public boolean apply(Connection connection, AppliedCheck check) throws SQLException {
        Dialect dialect = Dialect.of(connection);
        dialect.lockSchema(connection);
        try (Statement statement = connection.createStatement()) {
            if (check.isApplied()) {
                return false;
            }
            if (dialect.supportsTransactionalDdl()) {
                statement.execute(text);
                return true;
            }
            for (String sql : statements()) {
                statement.execute(sql);
            }
            connection.commit(); // before the lock is released, so that the next caller sees the version
            return true;
        } finally {
            dialect.unlockSchema(connection);
        }
    }

    /** Splits the script. A statement ends with a semicolon at the end of a line. */
    private List<String> statements() {
        return Stream.of(text.replaceAll("(?m)^\\s*--.*$", "").split(";[ \t]*\n"))
                .map(String::strip)
                .filter(sql -> !sql.isEmpty())
                .toList();
    }
}
