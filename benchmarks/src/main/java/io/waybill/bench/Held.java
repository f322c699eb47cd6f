package io.waybill.bench;

import io.waybill.bench.contest.Contestant;
import io.waybill.bench.contest.Contestants;
import io.waybill.bench.contest.Schema;
import io.waybill.bench.load.Load;
import io.waybill.bench.report.Section;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The same drain while another transaction stays open, so that no vacuum can work, and on top of many old events. */
record Held(List<String> engines, int events, int batch, int rounds, long oldRows, Load load) implements Scenario {
    private static final String UNDISTURBED = "undisturbed";

    @Override
    public Section section() {
        return new Section(
                "held",
                String.format(
                        "the drain of %,d events, batch %,d, while a transaction stays open, and on %,d old rows;"
                                + " median of %d",
                        events, batch, oldRows, rounds),
                List.of("update", "cursor"),
                UNDISTURBED);
    }

    @Override
    public void run(Contest contest) throws Exception {
        List<Contestant> contestants = engines.stream()
                .map(name -> Contestants.named(name, contest.servers(), batch))
                .toList();
        Draining draining = new Draining(contest, "held", load);
        draining.warmUp(UNDISTURBED, contestants, events);
        Map<Contestant, Schema> old = new HashMap<>();
        try {
            for (Contestant contestant : contestants) {
                contest.progress().doing("held: " + contestant.name() + " gets old rows");
                Schema schema = contestant.create("old");
                old.put(contestant, schema);
                if (oldRows > 0) {
                    contestant.fillPublished(schema, load, oldRows);
                }
            }
            for (int round = 1; round <= rounds; round++) {
                for (Contestant contestant : Contest.inTurn(contestants, round)) {
                    draining.fresh(UNDISTURBED, contestant, events, round);
                    try (Connection open = hold(contest)) {
                        draining.fresh("transaction open", contestant, events, round);
                        open.rollback();
                    }
                    Schema schema = old.get(contestant);
                    if (schema != null) {
                        draining.on(schema, String.format("%,d old rows", oldRows), contestant, events, round);
                    }
                }
            }
        } finally {
            for (Schema schema : old.values()) {
                schema.drop();
                schema.close();
            }
        }
    }

    /** Has a number and a snapshot, as a report or a forgotten console would. */
    private static Connection hold(Contest contest) throws Exception {
        Connection connection = DriverManager.getConnection(contest.servers().jdbcUrl());
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_current_xact_id()");
        }
        return connection;
    }
}
