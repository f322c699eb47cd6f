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
 * Frees the parked events of keys whose first held event is itself parked. This happens only when the failing event before it was
 * deleted by hand. Each run examines the first held event of some keys, along their index, and continues where the last run
 * stopped.
 */
public final class KeySweep {
    private static final int KEYS_PER_RUN = 100;

    private final Transactions database;
    private final Function<Dialect, String> next;
    private final Repair repair;
    private final Free free;
    private volatile String last = "";

    /** Frees the first parked events of a key, up to the first event that is held for another reason. */
    @FunctionalInterface
    public interface Free {
        void free(Sql sql, String key) throws SQLException;
    }

    /** @param next returns the query for key, id and state of the first held event of the first key after a given key */
    public KeySweep(Transactions database, Function<Dialect, String> next, Repair repair, Free free) {
        this.database = database;
        this.next = next;
        this.repair = repair;
        this.free = free;
    }

    public void run() {
        Map<String, UUID> stuck = database.transaction("look for keys that only have parked events", connection -> {
            Sql sql = Sql.on(connection);
            Map<String, UUID> found = new LinkedHashMap<>();
            String key = last;
            for (int i = 0; i < KEYS_PER_RUN && (i == 0 || !key.isEmpty()); i++) {
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
        stuck.forEach((key, id) -> database.transaction("free key " + key, connection -> {
            Sql sql = Sql.on(connection);
            repair.lock(sql, List.of(id));
            free.free(sql, key);
            return key;
        }));
    }
}
