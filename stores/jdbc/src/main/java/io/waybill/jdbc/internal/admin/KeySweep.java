package io.waybill.jdbc.internal.admin;

import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.Transactions;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/**
 * Frees keys whose parked events wait for nothing: somebody has deleted the failing event before them by hand. The first held event
 * of a key is never a parked one otherwise. Each run looks at the first held event of some keys, along their index, and goes on
 * where the last run has ended.
 */
public final class KeySweep {
    private static final int KEYS = 100;

    private final Transactions database;
    private final Function<Dialect, String> next;
    private final JdbcDeadLetters.Repair repair;
    private final Free free;
    private volatile String last = "";

    /** Lets the parked events of a key go on, as far as nothing before them holds them back. */
    @FunctionalInterface
    public interface Free {
        void free(Sql sql, String key) throws SQLException;
    }

    /** @param next selects key, id and state of the first held event of the first key behind a given one */
    public KeySweep(Transactions database, Function<Dialect, String> next, JdbcDeadLetters.Repair repair, Free free) {
        this.database = database;
        this.next = next;
        this.repair = repair;
        this.free = free;
    }

    public void run() {
        Map<String, UUID> waiting = database.transaction("look for keys that wait for nothing", connection -> {
            Sql sql = Sql.on(connection);
            Map<String, UUID> found = new LinkedHashMap<>();
            String key = last;
            for (int i = 0; i < KEYS && (i == 0 || !key.isEmpty()); i++) {
                key = sql.query(
                        next.apply(sql.dialect()),
                        row -> {
                            if (!row.next()) {
                                return "";
                            }
                            if (row.getString(3).equals("PARKED")) {
                                found.put(row.getString(1), sql.dialect().uuid(row, 2));
                            }
                            return row.getString(1);
                        },
                        key);
            }
            last = key;
            return found;
        });
        waiting.forEach((key, id) -> database.transaction("free key " + key, connection -> {
            Sql sql = Sql.on(connection);
            repair.lock(sql, List.of(id));
            free.free(sql, key);
            return key;
        }));
    }
}
