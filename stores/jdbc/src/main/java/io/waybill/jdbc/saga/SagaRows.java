package io.waybill.jdbc.saga;

import io.waybill.jdbc.internal.event.EventRows;
import io.waybill.jdbc.internal.event.HeaderJson;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads rows of the tables of sagas. */
final class SagaRows {
    /** The number of columns of a saga. */
    static final int COLUMNS = 17;

    private SagaRows() {}

    static SagaRecord saga(Dialect dialect, ResultSet row) throws SQLException {
        return new SagaRecord(
                dialect.uuid(row, 1),
                row.getString(2),
                row.getInt(3),
                row.getString(4),
                SagaStatus.valueOf(row.getString(5)),
                row.getString(6),
                row.getString(7),
                HeaderJson.parse(row.getString(8)),
                nullableUuid(dialect, row, 9),
                row.getString(10),
                row.getString(11),
                row.getString(12),
                EventRows.instant(dialect, row, 13),
                EventRows.time(dialect, row, 14),
                EventRows.time(dialect, row, 15),
                EventRows.instant(dialect, row, 16),
                row.getLong(17));
    }

    private static @Nullable UUID nullableUuid(Dialect dialect, ResultSet row, int column) throws SQLException {
        return row.getString(column) == null ? null : dialect.uuid(row, column);
    }

    static List<SagaRecord> sagas(Dialect dialect, ResultSet row) throws SQLException {
        List<SagaRecord> sagas = new ArrayList<>();
        while (row.next()) {
            sagas.add(saga(dialect, row));
        }
        return sagas;
    }

    static List<SagaSignal> signals(Dialect dialect, ResultSet row) throws SQLException {
        List<SagaSignal> signals = new ArrayList<>();
        while (row.next()) {
            signals.add(new SagaSignal(
                    row.getLong(1),
                    SagaSignal.Kind.valueOf(row.getString(2)),
                    row.getString(3),
                    row.getString(4),
                    row.getString(5),
                    row.getString(6)));
        }
        return signals;
    }

    /** Reverses the rows. */
    static List<HistoryEntry> historyBackwards(Dialect dialect, ResultSet row) throws SQLException {
        List<HistoryEntry> entries = new ArrayList<>();
        while (row.next()) {
            entries.add(new HistoryEntry(
                    HistoryKind.valueOf(row.getString(1)),
                    row.getString(2),
                    row.getInt(3),
                    row.getString(4),
                    EventRows.time(dialect, row, 5)));
        }
        Collections.reverse(entries);
        return entries;
    }

    static List<UUID> ids(Dialect dialect, ResultSet row) throws SQLException {
        List<UUID> ids = new ArrayList<>();
        while (row.next()) {
            ids.add(dialect.uuid(row, 1));
        }
        return ids;
    }
}
