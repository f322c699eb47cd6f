package io.waybill.bench;

import io.waybill.bench.contest.BareInsert;
import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.Schema;
import io.waybill.bench.load.Entry;
import io.waybill.bench.load.Load;
import io.waybill.bench.measure.DeliveryCheck;
import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Figures;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;

/** The WAL of an append compared with a plain INSERT into the same table, with one event per transaction. */
record AppendWal(BenchContext context, Load load) {
    private static final int EVENTS = 5_000;
    private static final int TRIES = 3;

    private interface Append {
        void run(Connection connection, List<Entry> entries) throws SQLException;
    }

    void measure(Contestant contestant) throws SQLException {
        if (!context.servers().countsWal()) {
            return; // other databases do not report it
        }
        context.progress().doing("append: WAL of " + contestant.name());
        double append =
                bytes(contestant, (connection, entries) -> contestant.append(connection, entries, "order.placed"));
        double insert = least(
                contestant,
                (connection, entries) -> BareInsert.into(connection, contestant.layout(), entries, "order.placed"));
        context.add(new Figures()
                .put(Figure.APPEND_WAL, append)
                .put(Figure.INSERT_WAL, insert)
                .run("drain", "append", contestant.name(), 1, DeliveryCheck.NOTHING_SENT));
    }

    /** Takes the minimum, because other activity of the server can only add to it. */
    private double least(Contestant contestant, Append append) throws SQLException {
        double least = Double.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            least = Math.min(least, bytes(contestant, append));
        }
        return least;
    }

    private double bytes(Contestant contestant, Append append) throws SQLException {
        try (Schema schema = contestant.create("run")) {
            double before = schema.walPosition();
            SplittableRandom random = new SplittableRandom(1);
            try (Connection connection = schema.connect()) {
                connection.setAutoCommit(false);
                for (int number = 0; number < EVENTS; number++) {
                    append.run(connection, List.of(load.next(number, random, 0, 1)));
                    connection.commit();
                }
                connection.setAutoCommit(true);
            }
            double bytes = (schema.walPosition() - before) / EVENTS;
            schema.drop();
            return bytes;
        }
    }
}
