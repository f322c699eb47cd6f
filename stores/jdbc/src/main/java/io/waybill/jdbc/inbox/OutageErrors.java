package io.waybill.jdbc.inbox;

import io.waybill.jdbc.internal.sql.SqlState;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells a database that is out from a statement that failed. */
final class OutageErrors {
    /** Connection lost or refused, login refused, out of disk, memory or connections, shutting down. */
    private static final Set<String> CLASSES = Set.of("08", "28", "53");

    /** Shutting down, crashed, starting; no such database; a standby that takes no writes. */
    private static final Set<String> STATES = Set.of("57P01", "57P02", "57P03", "57P04", "3D000", "25006", "58030");

    private OutageErrors() {}

    static boolean is(@Nullable Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLTransientConnectionException
                    || cause instanceof SQLNonTransientConnectionException) {
                return true;
            }
            if (cause instanceof SQLException sql && isOutage(sql)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOutage(SQLException error) {
        String state = SqlState.of(error);
        if (state.isEmpty()) {
            // what a pool says of a connection that it has thrown away after an error
            return String.valueOf(error.getMessage()).contains("onnection is closed");
        }
        return STATES.contains(state) || (state.length() == 5 && CLASSES.contains(state.substring(0, 2)));
    }
}
