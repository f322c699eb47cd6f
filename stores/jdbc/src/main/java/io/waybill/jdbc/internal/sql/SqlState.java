package io.waybill.jdbc.internal.sql;

import io.waybill.jdbc.DatabaseProduct;
import java.sql.SQLException;

/**
 * SQL states under PostgreSQL's codes, which follow the SQL standard where it defines a code. {@link #of} translates the error codes
 * of other databases into these.
 */
public final class SqlState {
    public static final String CANNOT_CONNECT = "08001";
    public static final String CONNECTION_FAILURE = "08006";
    public static final String PROTOCOL_VIOLATION = "08P01";
    public static final String INVALID_JSON = "22P02";
    public static final String UNIQUE_VIOLATION = "23505";
    public static final String READ_ONLY = "25006";
    public static final String FAILED_TRANSACTION = "25P02";
    public static final String INVALID_AUTHORIZATION = "28000";
    public static final String INVALID_PASSWORD = "28P01";
    public static final String UNDEFINED_DATABASE = "3D000";
    public static final String SERIALIZATION_FAILURE = "40001";
    public static final String DEADLOCK = "40P01";
    public static final String INSUFFICIENT_PRIVILEGE = "42501";
    public static final String UNDEFINED_COLUMN = "42703";
    public static final String UNDEFINED_FUNCTION = "42883";
    public static final String UNDEFINED_TABLE = "42P01";
    public static final String DISK_FULL = "53100";
    public static final String TOO_MANY_CONNECTIONS = "53300";
    public static final String LOCK_TIMEOUT = "55P03";
    public static final String QUERY_CANCELED = "57014";
    public static final String ADMIN_SHUTDOWN = "57P01";
    public static final String CRASH_SHUTDOWN = "57P02";
    public static final String CANNOT_CONNECT_NOW = "57P03";
    public static final String DATABASE_DROPPED = "57P04";
    public static final String IO_ERROR = "58030";

    private SqlState() {}

    /** Returns the state of an error, or an empty string when the driver gives none. */
    public static String of(SQLException e) {
        for (DatabaseProduct product : DatabaseProduct.values()) {
            String state = product.dialect().sqlStatesByErrorCode().get(e.getErrorCode());
            if (state != null) {
                return state;
            }
        }
        return e.getSQLState() == null ? "" : e.getSQLState();
    }

    /** Returns the state of the first {@link SQLException} among the causes, or an empty string. */
    private static String ofFirst(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLException e) {
                return of(e);
            }
        }
        return "";
    }

    /**
     * Whether the database refused the values of a statement: they are invalid for their columns (class 22), violate a constraint
     * (23), or exceed a limit of the database (54), such as the size of an index entry or of a packet.
     */
    public static boolean refusesData(Throwable failure) {
        return refusesData(ofFirst(failure));
    }

    public static boolean refusesData(String state) {
        return state.startsWith("22") || state.startsWith("23") || state.startsWith("54");
    }

    /** Whether the transaction waited too long for a lock of another transaction. */
    public static boolean isLockTimeout(Throwable failure) {
        return ofFirst(failure).equals(LOCK_TIMEOUT);
    }

    /** Whether another attempt of the same transaction will probably succeed. */
    public static boolean isTransient(Throwable failure) {
        return switch (ofFirst(failure)) {
            case DEADLOCK, SERIALIZATION_FAILURE, LOCK_TIMEOUT -> true;
            default -> false;
        };
    }
}
