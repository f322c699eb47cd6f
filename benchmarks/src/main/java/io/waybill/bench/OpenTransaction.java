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

/** A drain beside an open transaction, which prevents vacuum, and a drain with many published events in the table. */
record OpenTransaction(List<String> engines, int events, int batch, int rounds, long oldRows, Load load)
        implements Scenario {
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
    public void run(BenchContext context) throws Exception {
        List<Contestant> contestants = engines.stream()
                .map(name -> Contestants.named(name, context.servers(), batch))
                .toList();
        DrainRun draining = new DrainRun(context, "held", load);
        draining.warmUp(UNDISTURBED, contestants, events);
        Map<Contestant, Schema> old = new HashMap<>();
        try {
            for (Contestant contestant : contestants) {
                context.progress().doing("held: " + contestant.name() + " gets old rows");
                Schema schema = contestant.create("old");
                old.put(contestant, schema);
                if (oldRows > 0) {
                    contestant.fillPublished(schema, load, oldRows);
                }
            }
            for (int round = 1; round <= rounds; round++) {
                for (Contestant contestant : BenchContext.inTurn(contestants, round)) {
                    draining.fresh(UNDISTURBED, contestant, events, round);
                    try (Connection open = hold(context)) {
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

    /** Opens a transaction with an id and a snapshot, as a long report or a forgotten console does. */
    private static Connection hold(BenchContext context) throws Exception {
        Connection connection = DriverManager.getConnection(context.servers().jdbcUrl());
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_current_xact_id()");
        }
        return connection;
    }
}
