package io.waybill.jdbc.internal.sql;

import io.waybill.store.StoreException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

/** Says in words what a database's refusal means and what to do about it. */
public final class SqlErrors {
    private SqlErrors() {}

    public static StoreException explain(String what, SQLException e) {
        return new StoreException("Cannot " + what + ": " + reason(e), e);
    }

    /** Errors quote what brokers and messages say: cut to size, and without what PostgreSQL cannot store. */
    public static String storable(String error, int longest) {
        String clean = error.replace('\0', ' ');
        return clean.length() <= longest ? clean : clean.substring(0, longest - 1) + "…";
    }

    private static String reason(SQLException e) {
        if (e instanceof SQLTransientConnectionException && e.getCause() instanceof SQLException cause) {
            return firstLine(e) + ": " + reason(cause); // the pool has no connection; only this says why
        }
        String state = SqlState.of(e);
        String said = firstLine(e);
        return switch (state) {
            case "42P01" ->
                said + ". Create Waybill's tables first: waybill schema apply, or waybill schema print for your"
                        + " migration tool.";
            case "42703" -> said + ". The tables are of another version: waybill schema check tells which.";
            case "42501" ->
                said
                        + (said.contains("row-level security")
                                ? ". Relays and operators must see all rows: run ALTER ROLE … BYPASSRLS for this role."
                                : ". Grant the role what waybill doctor lists.");
            case "28P01", "28000" -> said + ". Check the user name and the password.";
            case "3D000" -> said + ". Create the database, or correct its name in the URL.";
            case "53300" -> said + ". Raise max_connections or use smaller pools.";
            case SqlState.WAITED_TOO_LONG -> said + ". Somebody else holds a lock; try again.";
            case SqlState.DEADLOCK -> said + ". Others were in the way; try again.";
            case "22P02" -> said + ". The payload and the headers must be JSON.";
            case "25P02" -> "an earlier statement of this transaction failed. Roll it back and begin again.";
            default ->
                said
                        + (state.startsWith("08") || state.startsWith("57P")
                                ? ". The database does not answer; check that it runs."
                                : ".");
        };
    }

    private static String firstLine(SQLException e) {
        String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        String line = message.lines().findFirst().orElse(message).replaceFirst("^(ERROR|FATAL): ", "");
        return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
    }
}
