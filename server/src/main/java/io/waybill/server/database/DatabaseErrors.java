package io.waybill.server.database;

import io.waybill.WaybillException;
import io.waybill.jdbc.UnsupportedByDatabaseException;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;

/** Translates exceptions of the drivers into messages that name the cause and the remedy. */
public final class DatabaseErrors {
    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private DatabaseErrors() {}

    static Problem explain(Throwable failure, DatabaseAddress address) {
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
        return new Problem(Exit.DATABASE, sentence(sql.get(), failure, address), failure);
    }

    /** The first SQL exception among the causes that has an SQLSTATE. */
    public static Optional<SQLException> sql(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLException sql && !SqlState.of(sql).isEmpty()) {
                return Optional.of(sql);
            }
        }
        return Optional.empty();
    }

    /** Whether a later attempt may succeed: the server is unreachable, starting, stopping or out of connections. */
    public static boolean isTransient(Throwable failure) {
        return sql(failure)
                .map(SqlState::of)
                .filter(DatabaseErrors::isTransient)
                .isPresent();
    }

    static boolean lacksPrivilege(Throwable failure) {
        return sql(failure)
                .filter(sql -> INSUFFICIENT_PRIVILEGE.equals(SqlState.of(sql)))
                .isPresent();
    }

    private static boolean isTransient(String state) {
        return (state.startsWith("08") && !state.equals("08P01")) || state.startsWith("57P") || state.equals("53300");
    }

    private static String sentence(SQLException e, Throwable failure, DatabaseAddress address) {
        String state = SqlState.of(e);
        String server = address.product().title();
        String said = address.access().serverMessage(e);
        String user = address.user() == null ? "the user" : "user " + address.user();
        if (said.contains("no password was provided")) {
            return address + " requires a password for " + user + ". Set WAYBILL_DATABASE_PASSWORD or"
                    + " WAYBILL_DATABASE_PASSWORD_FILE.";
        }
        return switch (state) {
            case "28P01" ->
                server + " at " + address + " refused the password of " + user
                        + ". Correct database.user or database.password (WAYBILL_DATABASE_PASSWORD).";
            case "28000" ->
                server + " at " + address + " rejects " + user + ": " + said + ". "
                        + address.access().loginRemedy();
            case "3D000" ->
                "There is no such database: " + address + ". "
                        + address.access().createRemedy(address);
            case "42P01" ->
                "A table is missing in " + address + ": " + said + ". Create the schema with `waybill schema apply`.";
            case "42703", "42883" ->
                "The schema in " + address + " does not match this version: " + said + ". See `waybill schema check`.";
            case INSUFFICIENT_PRIVILEGE ->
                "A privilege is missing for " + user + " in " + address + ": " + said
                        + (said.contains("row-level security")
                                ? ". Relays and operators must see all rows: grant the user BYPASSRLS, or connect as another user."
                                : ". Grant it, or connect as another user; `waybill doctor` lists the missing grants.");
            case "57P03", "57P01", "57P02" ->
                server + " at " + address + " is starting or stopping: " + said + ". Try again in a moment.";
            case "53300" ->
                server + " at " + address
                        + " has no free connections. Raise max_connections, or lower database.pool-size.";
            case "25006" -> "The database at " + address + " is read-only, perhaps a standby. Connect to the primary.";
            default -> state.startsWith("08") ? unreachable(e, address, said) : other(failure, address, said);
        };
    }

    private static String unreachable(SQLException e, DatabaseAddress address, String said) {
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof UnknownHostException) {
                return "Cannot reach the database at " + address + ": unknown host. Correct --database.";
            }
        }
        String lower = said.toLowerCase(Locale.ROOT);
        if (SqlState.of(e).equals("08P01") || lower.contains("protocol error") || lower.contains("ssl connection")) {
            return "The server at " + address + " does not use "
                    + address.product().title() + "'s protocol (" + said
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
