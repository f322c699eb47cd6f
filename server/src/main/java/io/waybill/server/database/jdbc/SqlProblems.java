package io.waybill.server.database.jdbc;

import io.waybill.WaybillException;
import io.waybill.jdbc.UnsupportedByDatabaseException;
import io.waybill.jdbc.internal.sql.DatabaseRemedy;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;

/**
 * Turns exceptions of the database into problems for the user of the program. A message names the address, the cause and the remedy.
 * If a setting of the program is wrong, the remedy names the setting; otherwise it is the {@link DatabaseRemedy} of the library.
 */
final class SqlProblems {

    private SqlProblems() {}

    static Problem explain(Throwable failure, JdbcAccess access, DatabaseAddress address) {
        if (failure instanceof Problem problem) {
            return problem;
        }
        if (failure instanceof UnsupportedByDatabaseException) {
            return new Problem(Exit.USAGE, String.valueOf(failure.getMessage()), failure);
        }
        Optional<SQLException> sql = sql(failure);
        if (sql.isEmpty()) {
            return new Problem(Exit.FAILED, String.valueOf(failure.getMessage()), failure);
        }
        return new Problem(Exit.DATABASE, sentence(sql.get(), failure, access, address), failure);
    }

    /** The first SQL exception among the causes that has an SQLSTATE. */
    static Optional<SQLException> sql(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLException sql && !SqlState.of(sql).isEmpty()) {
                return Optional.of(sql);
            }
        }
        return Optional.empty();
    }

    /** Whether a later attempt may succeed: the server is unreachable, starting, stopping or out of connections. */
    static boolean isTransient(Throwable failure) {
        return sql(failure)
                .map(DatabaseRemedy::of)
                .filter(SqlProblems::isTransient)
                .isPresent();
    }

    static boolean lacksPrivilege(Throwable failure) {
        return sql(failure)
                .filter(sql -> SqlState.of(sql).equals(SqlState.INSUFFICIENT_PRIVILEGE))
                .isPresent();
    }

    private static boolean isTransient(DatabaseRemedy remedy) {
        return switch (remedy) {
            case UNREACHABLE, STARTING_OR_STOPPING, TOO_MANY_CONNECTIONS -> true;
            default -> false;
        };
    }

    private static String sentence(SQLException e, Throwable failure, JdbcAccess access, DatabaseAddress address) {
        DatabaseRemedy remedy = DatabaseRemedy.of(e);
        String server = access.title();
        String said = access.serverMessage(e);
        String user = address.user() == null ? "the user" : "user " + address.user();
        if (said.contains("no password was provided")) {
            return address + " requires a password for " + user + ". Set WAYBILL_DATABASE_PASSWORD or"
                    + " WAYBILL_DATABASE_PASSWORD_FILE.";
        }
        return switch (remedy) {
            case WRONG_PASSWORD ->
                server + " at " + address + " refused the password of " + user
                        + ". Correct database.user or database.password (WAYBILL_DATABASE_PASSWORD).";
            case LOGIN_REFUSED ->
                server + " at " + address + " rejects " + user + ": " + said + ". " + access.loginRemedy();
            case MISSING_DATABASE -> "There is no such database: " + address + ". " + access.createRemedy(address);
            case MISSING_TABLE -> "A table is missing in " + address + ": " + said + ". " + remedy.text();
            case DIFFERENT_VERSION ->
                "A column or a function is missing in " + address + ": " + said + ". " + remedy.text();
            case MISSING_PRIVILEGE, HIDDEN_ROWS ->
                "A privilege is missing for " + user + " in " + address + ": " + said + ". " + remedy.text();
            case STARTING_OR_STOPPING ->
                server + " at " + address + " is starting or stopping: " + said + ". " + remedy.text();
            case TOO_MANY_CONNECTIONS ->
                server + " at " + address + " has no free connections. " + remedy.text()
                        + " The pool's size is database.pool-size.";
            case READ_ONLY -> "The database at " + address + " is read-only. " + remedy.text();
            case UNREACHABLE, WRONG_PROTOCOL -> unreachable(e, access, address, said);
            default -> other(failure, address, said);
        };
    }

    private static String unreachable(SQLException e, JdbcAccess access, DatabaseAddress address, String said) {
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof UnknownHostException) {
                return "Cannot reach the database at " + address + ": unknown host. Correct --database.";
            }
        }
        String lower = said.toLowerCase(Locale.ROOT);
        if (DatabaseRemedy.of(e) == DatabaseRemedy.WRONG_PROTOCOL
                || lower.contains("protocol error")
                || lower.contains("ssl connection")) {
            return "The server at " + address + " does not use "
                    + access.title() + "'s protocol (" + said
                    + "). Correct the host and port in --database.";
        }
        String reason = lower.contains("refused") ? "connection refused" : said;
        return "Cannot reach the database at " + address + ": " + reason + ". Start it, or correct --database.";
    }

    private static String other(Throwable failure, DatabaseAddress address, String said) {
        if (failure instanceof WaybillException && failure.getMessage() != null) {
            return failure.getMessage();
        }
        return "The database at " + address + " failed: " + said + ".";
    }
}
