package io.waybill.bench.contest;

import com.github.f4b6a3.uuid.UuidCreator;
import io.waybill.bench.load.Entry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** The INSERT that any writer would write, with ids that grow with time, as ours do. */
public final class BareInsert {
    private BareInsert() {}

    public static void into(Connection connection, Layout layout, List<Entry> entries, String topic)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(layout.insertOne())) {
            for (Entry entry : entries) {
                insert.setObject(1, UuidCreator.getTimeOrderedEpoch());
                insert.setString(2, entry.key());
                insert.setString(3, topic);
                insert.setString(4, entry.payload());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }
}
