package io.waybill.jdbc.inbox;

import io.waybill.jdbc.internal.sql.SqlState;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Distinguishes an outage of the database from the failure of a statement. */
final class OutageErrors {
    /** Connection lost or refused; login refused; out of disk space, memory or connections. */
    private static final Set<String> CLASSES = Set.of("08", "28", "53");

    private static final Set<String> STATES = Set.of(
            SqlState.ADMIN_SHUTDOWN,
            SqlState.CRASH_SHUTDOWN,
            SqlState.CANNOT_CONNECT_NOW,
            SqlState.DATABASE_DROPPED,
            SqlState.UNDEFINED_DATABASE,
            SqlState.READ_ONLY,
            SqlState.IO_ERROR);

    private OutageErrors() {}

    static boolean isOutage(@Nullable Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLTransientConnectionException
                    || cause instanceof SQLNonTransientConnectionException) {
                return true;
            }
            if (cause instanceof SQLException sql && hasOutageState(sql)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasOutageState(SQLException error) {
        String state = SqlState.of(error);
        if (state.isEmpty()) {
            // the message of a pool about a connection that it has evicted after an error
            return String.valueOf(error.getMessage()).contains("onnection is closed");
        }
        return STATES.contains(state) || (state.length() == 5 && CLASSES.contains(state.substring(0, 2)));
    }
}
