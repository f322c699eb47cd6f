package io.waybill.jdbc.internal.sql;

import java.sql.SQLException;

/**
 * What to do about an error of the database. Exceptions of the library end with this text. Messages of the program end with it, too,
 * except for errors of the login and the connection: the program names the setting to correct, which the library does not know.
 */
public enum DatabaseRemedy {
    WRONG_PASSWORD("Correct the user name or the password."),
    LOGIN_REFUSED("Correct the user name, or allow this user to log in."),
    MISSING_DATABASE("Create the database, or correct its name in the URL."),
    MISSING_TABLE(
            "Create Waybill's tables with `waybill schema apply`, or give the output of `waybill schema print` to your"
                    + " migration tool."),
    DIFFERENT_VERSION("The tables do not match this version of Waybill. `waybill schema check` lists the differences."),
    MISSING_PRIVILEGE("Grant the privileges that `waybill doctor` lists, or connect as another user."),
    HIDDEN_ROWS(
            "Relays and operators must see all rows. Run ALTER ROLE … BYPASSRLS for this user, or connect as another"
                    + " user."),
    INVALID_JSON("The payload and the headers must be JSON."),
    FAILED_TRANSACTION("An earlier statement of this transaction failed. Roll it back and start a new transaction."),
    LOCK_TIMEOUT("Another transaction holds a lock. Try again."),
    DEADLOCK("The database ended this transaction to resolve a deadlock. Try again."),
    READ_ONLY("The database may be a standby. Connect to the primary."),
    TOO_MANY_CONNECTIONS("Raise max_connections, or use smaller connection pools."),
    STARTING_OR_STOPPING("Try again in a moment."),
    WRONG_PROTOCOL("Correct the host and the port in the URL."),
    UNREACHABLE("Check that the database runs and that its URL is correct."),
    /** Every other error. Waybill knows no remedy for it. */
    OTHER("");

    private final String text;

    DatabaseRemedy(String text) {
        this.text = text;
    }

    public static DatabaseRemedy of(SQLException e) {
        String state = SqlState.of(e);
        return switch (state) {
            case SqlState.INVALID_PASSWORD -> WRONG_PASSWORD;
            case SqlState.INVALID_AUTHORIZATION -> LOGIN_REFUSED;
            case SqlState.UNDEFINED_DATABASE -> MISSING_DATABASE;
            case SqlState.UNDEFINED_TABLE -> MISSING_TABLE;
            case SqlState.UNDEFINED_COLUMN, SqlState.UNDEFINED_FUNCTION -> DIFFERENT_VERSION;
            case SqlState.INSUFFICIENT_PRIVILEGE ->
                String.valueOf(e.getMessage()).contains("row-level security") ? HIDDEN_ROWS : MISSING_PRIVILEGE;
            case SqlState.INVALID_JSON -> INVALID_JSON;
            case SqlState.FAILED_TRANSACTION -> FAILED_TRANSACTION;
            case SqlState.LOCK_TIMEOUT -> LOCK_TIMEOUT;
            case SqlState.DEADLOCK -> DEADLOCK;
            case SqlState.READ_ONLY -> READ_ONLY;
            case SqlState.TOO_MANY_CONNECTIONS -> TOO_MANY_CONNECTIONS;
            case SqlState.PROTOCOL_VIOLATION -> WRONG_PROTOCOL;
            default -> state.startsWith("57P") ? STARTING_OR_STOPPING : state.startsWith("08") ? UNREACHABLE : OTHER;
        };
    }

    /** Returns one or two sentences that say what to do, or an empty string for {@link #OTHER}. */
    public String text() {
        return text;
    }
}
