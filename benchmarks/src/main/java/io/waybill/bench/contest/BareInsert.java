package io.waybill.bench.contest;

import com.github.f4b6a3.uuid.UuidCreator;
import io.waybill.bench.load.Entry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** A plain INSERT with time-ordered ids, like Waybill's. */
public final class BareInsert {
    private BareInsert() {}

    public static void into(Connection connection, TableLayout layout, List<Entry> entries, String topic)
            throws SQLException {
        DatabaseKind base = DatabaseKind.of(connection.getMetaData().getURL());
        try (PreparedStatement insert = connection.prepareStatement(layout.insertOne(base))) {
            for (Entry entry : entries) {
                UUID id = UuidCreator.getTimeOrderedEpoch();
                insert.setObject(1, base.id(id));
                insert.setString(2, entry.key());
                insert.setString(3, topic);
                insert.setString(4, entry.payload());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }
}
