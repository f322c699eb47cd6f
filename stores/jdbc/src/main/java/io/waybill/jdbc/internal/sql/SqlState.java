package io.waybill.jdbc.internal.sql;

import io.waybill.jdbc.DatabaseProduct;
import java.sql.SQLException;

/** What an error of any database is called in the codes of PostgreSQL, which are the standard's where it has one. */
public final class SqlState {
    public static final String DUPLICATE = "23505";

    /** Two transactions stood in each other's way, and this one was ended. */
    public static final String DEADLOCK = "40P01";

    /** Somebody else held a lock for longer than this transaction waits. */
    public static final String WAITED_TOO_LONG = "55P03";

    private SqlState() {}

    /** Never null; empty when the driver does not say. */
    public static String of(SQLException e) {
        for (DatabaseProduct product : DatabaseProduct.values()) {
            String state = product.dialect().errors().get(e.getErrorCode());
            if (state != null) {
                return state;
            }
        }
        return e.getSQLState() == null ? "" : e.getSQLState();
    }

    /**
     * Whether the database refused the values of a statement: not valid for their columns (class 22), against a constraint (23),
     * or beyond a limit of the database (54), such as the size of an index entry or of a packet.
     */
    public static boolean refusesData(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLException e) {
                String state = of(e);
                return state.startsWith("22") || state.startsWith("23") || state.startsWith("54");
            }
        }
        return false;
    }

    /** Whether somebody else's lock has ended this. */
    public static boolean waitedTooLong(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLException e) {
                return of(e).equals(WAITED_TOO_LONG);
            }
        }
        return false;
    }

    /** Whether the same transaction would probably succeed if it were tried again. */
    public static boolean passes(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLException e) {
                String state = of(e);
                return state.equals(DEADLOCK) || state.equals("40001") || state.equals(WAITED_TOO_LONG);
            }
        }
        return false;
    }
}
