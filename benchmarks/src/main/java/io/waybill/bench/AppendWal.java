package io.waybill.bench;

import io.waybill.bench.contest.BareInsert;
import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.Schema;
import io.waybill.bench.load.Entry;
import io.waybill.bench.load.Load;
import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Figures;
import io.waybill.bench.measure.Verdict;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;

/** WAL of an append, beside that of a bare INSERT into the same table; one event in a transaction. */
record AppendWal(Contest contest, Load load) {
    private static final int EVENTS = 5_000;
    private static final int TRIES = 3;

    private interface Append {
        void run(Connection connection, List<Entry> entries) throws SQLException;
    }

    void measure(Contestant contestant) throws SQLException {
        if (!contest.servers().countsWal()) {
            return; // others do not tell
        }
        contest.progress().doing("append: WAL of " + contestant.name());
        double append =
                bytes(contestant, (connection, entries) -> contestant.append(connection, entries, "order.placed"));
        double insert = least(
                contestant,
                (connection, entries) -> BareInsert.into(connection, contestant.layout(), entries, "order.placed"));
        contest.add(new Figures()
                .put(Figure.APPEND_WAL, append)
                .put(Figure.INSERT_WAL, insert)
                .run("drain", "append", contestant.name(), 1, Verdict.NOTHING_SENT));
    }

    /** Whatever else is going on in the server can only add to it. */
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
