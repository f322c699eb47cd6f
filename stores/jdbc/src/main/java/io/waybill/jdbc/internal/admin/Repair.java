package io.waybill.jdbc.internal.admin;

import io.waybill.jdbc.internal.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The changes that operators make to an engine's tables. The caller locks the lanes of the events first. Events in other states stay
 * unchanged.
 */
public interface Repair {
    /** A changed event. */
    record Changed(UUID id, String key, long seq) {
        public static List<Changed> read(Sql sql, ResultSet row) throws SQLException {
            List<Changed> changed = new ArrayList<>();
            while (row.next()) {
                changed.add(new Changed(sql.dialect().uuid(row, 1), row.getString(2), row.getLong(3)));
            }
            return changed;
        }
    }

    /** A held event of a key. */
    record Held(UUID id, String state) {
        public boolean isDeadLetter() {
            return state.equals("DEAD_LETTER");
        }

        public boolean isClaimed() {
            return state.equals("CLAIMED");
        }

        public boolean isParked() {
            return state.equals("PARKED");
        }
    }

    /** Locks the lanes of these events against relays until the transaction ends. */
    void lock(Sql sql, List<UUID> ids) throws SQLException;

    /** Returns the first held events of a key, in order. */
    List<Held> held(Sql sql, String key, int limit) throws SQLException;

    /** Makes dead letters pending again. They keep the order of their keys. */
    List<Changed> replay(Sql sql, List<UUID> ids) throws SQLException;

    /** Discards dead letters and frees the events that are parked behind them. */
    List<Changed> discard(Sql sql, List<UUID> ids) throws SQLException;

    /** Makes retries due now. */
    List<Changed> retryNow(Sql sql, List<UUID> ids) throws SQLException;

    /** Discards the first held event of a key, and frees the events that are parked behind it. */
    void discardFirst(Sql sql, UUID id, String key) throws SQLException;

    /** Lets a key continue although a dead letter blocks it: frees the events that are parked behind the dead letter. */
    void unblock(Sql sql, UUID id, String key) throws SQLException;
}
