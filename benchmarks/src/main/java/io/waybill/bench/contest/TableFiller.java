package io.waybill.bench.contest;

import io.waybill.bench.load.Entry;
import io.waybill.bench.load.Load;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Inserts events from the client, for databases that cannot generate them. Some are rolled back and must never be published. */
final class TableFiller {
    private static final int PER_TRANSACTION = 500;

    private TableFiller() {}

    static void fill(Contestant contestant, Schema schema, Load load, int events, String topic) throws SQLException {
        SplittableRandom random = new SplittableRandom(1);
        try (Connection connection = schema.connect()) {
            connection.setAutoCommit(false);
            contestant.append(connection, entries(load, random, events, events + Math.max(1, events / 100)), topic);
            connection.rollback();
            for (int first = 0; first < events; first += PER_TRANSACTION) {
                int end = Math.min(events, first + PER_TRANSACTION);
                contestant.append(connection, entries(load, random, first, end), topic);
                connection.commit();
            }
            connection.setAutoCommit(true);
        }
    }

    private static List<Entry> entries(Load load, SplittableRandom random, int first, int end) {
        List<Entry> entries = new ArrayList<>(end - first);
        for (int number = first; number < end; number++) {
            entries.add(load.next(number, random, 0, 1));
        }
        return entries;
    }
}
