package io.waybill.jdbc.internal.sql;

import java.util.HashMap;
import java.util.Map;

/** MySQL 8.0.17 or newer. It differs from MariaDB in its tables, the idle timeout and some error codes. */
public final class MySqlDialect extends MariaDbDialect {
    /** MySQL ends a session that has been idle for this long, inside or outside of a transaction. Waybill sets it only inside one. */
    @Override
    String idleTimeoutVariable() {
        return "wait_timeout";
    }

    @Override
    public SqlScript script(String name) {
        return SqlScript.in("mysql", name);
    }

    @Override
    public Map<Integer, String> sqlStatesByErrorCode() {
        return SQL_STATES;
    }

    private static final Map<Integer, String> SQL_STATES = new HashMap<>(MariaDbDialect.SQL_STATES);

    static {
        SQL_STATES.put(3819, SqlState.INVALID_JSON); // a CHECK constraint failed; all of Waybill's check JSON
        SQL_STATES.put(1366, "22000"); // a value that its column cannot hold
        SQL_STATES.put(4031, SqlState.ADMIN_SHUTDOWN); // the session was idle for longer than wait_timeout
    }
}
