package io.waybill.jdbc.internal.sql;

import io.waybill.store.StoreException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

/** Turns exceptions of JDBC drivers into exceptions of a store, whose messages end with the {@link DatabaseRemedy}. */
public final class StoreExceptions {
    private StoreExceptions() {}

    /** @param what the work that failed, as in "Cannot claim events of lane 3" */
    public static StoreException explain(String what, SQLException e) {
        return new StoreException("Cannot " + what + ": " + reason(e), e);
    }

    private static String reason(SQLException e) {
        if (e instanceof SQLTransientConnectionException && e.getCause() instanceof SQLException cause) {
            return firstLine(e) + ": " + reason(cause); // the pool has no connection, and only its cause tells why
        }
        String remedy = DatabaseRemedy.of(e).text();
        return firstLine(e) + "." + (remedy.isEmpty() ? "" : " " + remedy);
    }

    private static String firstLine(SQLException e) {
        String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        String line = message.lines().findFirst().orElse(message).replaceFirst("^(ERROR|FATAL): ", "");
        return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
    }
}
