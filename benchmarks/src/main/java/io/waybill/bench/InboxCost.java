package io.waybill.bench;

import io.waybill.Event;
import io.waybill.bench.contest.Schema;
import io.waybill.bench.measure.Cpu;
import io.waybill.bench.measure.DeliveryCheck;
import io.waybill.bench.measure.Figure;
import io.waybill.bench.measure.Figures;
import io.waybill.bench.report.Section;
import io.waybill.envelope.Envelope;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Applies events through the inbox and through a bare loop (INSERT … ON CONFLICT DO NOTHING, business INSERT, commit), without a
 * broker. The table of effects has no unique key, so its rows show whether each event was applied once.
 */
record InboxCost(int events, int batch, int rounds, int threads) implements Scenario {
    private static final String BARE = "bare loop";

    @Override
    public Section section() {
        return new Section(
                "inbox",
                String.format(
                        "%,d events applied by %d threads, batches of %d; median of %d",
                        events, threads, batch, rounds),
                List.of(BARE),
                "");
    }

    @Override
    public void run(BenchContext context) throws Exception {
        try (Schema schema = Schema.create(context.servers().jdbcUrl(), "inbox")) {
            InboxSchema.apply(schema.dataSource());
            schema.execute("CREATE TABLE bare_processed (consumer_group text, event_id uuid,"
                    + " processed_at timestamptz DEFAULT now(), PRIMARY KEY (consumer_group, event_id));"
                    + " CREATE TABLE ledger (key text, payload text)");
            Inbox<Connection> inbox = Inbox.builder(
                            JdbcInbox.on(schema.dataSource()).store(), "bench")
                    .on("order.placed", (connection, event) -> business(connection, event.key(), event.payload()))
                    .build();
            for (int round = 0; round <= rounds; round++) {
                round(context, schema, inbox, round);
            }
            schema.drop();
        }
    }

    private void round(BenchContext context, Schema schema, Inbox<Connection> inbox, int round) throws Exception {
        measure(context, schema, round, BARE, events, share(), share -> bareLoop(schema, share));
        List<List<ReceivedMessage>> single = received(share());
        measure(context, schema, round, "inbox", events, single, share -> share.forEach(inbox::handle));
        measure(context, schema, round, "duplicates", 0, single, share -> share.forEach(inbox::handle));
        measure(context, schema, round, "inbox in batches", events, received(share()), share -> {
            for (int from = 0; from < share.size(); from += batch) {
                inbox.handle(share.subList(from, Math.min(from + batch, share.size())));
            }
        });
    }

    private List<List<Event>> share() {
        List<List<Event>> shares = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            List<Event> share = new ArrayList<>();
            for (int i = thread; i < events; i += threads) {
                share.add(Event.of(
                        "order.placed",
                        "Order",
                        "key-" + thread + "-" + i % 100,
                        "{\"orderId\":" + i + ",\"text\":\"" + "x".repeat(300) + "\"}"));
            }
            shares.add(share);
        }
        return shares;
    }

    private static List<List<ReceivedMessage>> received(List<List<Event>> shares) {
        Envelope envelope = Envelope.standard("bench");
        return shares.stream()
                .map(share -> share.stream()
                        .map(event -> ReceivedMessage.of(envelope.seal(event)))
                        .toList())
                .toList();
    }

    @FunctionalInterface
    private interface Work<M> {
        void on(List<M> messages) throws Exception;
    }

    /** @param expected the expected number of rows */
    private <M> void measure(
            BenchContext context,
            Schema schema,
            int round,
            String who,
            long expected,
            List<List<M>> shares,
            Work<M> work)
            throws Exception {
        context.progress().doing("inbox: " + who);
        schema.execute("TRUNCATE ledger");
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        Cpu before = context.servers().cpuTime().now();
        long start = System.nanoTime();
        List<Future<?>> running = new ArrayList<>();
        for (List<M> share : shares) {
            running.add(pool.submit(() -> {
                work.on(share);
                return null;
            }));
        }
        for (Future<?> future : running) {
            future.get();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        Cpu spent = context.servers().cpuTime().now().minus(before);
        pool.shutdown();
        long applied = (long) schema.number("SELECT count(*) FROM ledger");
        DeliveryCheck verdict = new DeliveryCheck(
                expected, applied, Math.max(0, expected - applied), Math.max(0, applied - expected), 0, 0, 0);
        context.add(new Figures()
                .perEvent(spent, events)
                .put(Figure.RATE, events / seconds)
                .run("inbox", "", who, round, verdict));
    }

    private static void bareLoop(Schema schema, List<Event> events) throws SQLException {
        try (Connection connection = schema.connect()) {
            connection.setAutoCommit(false);
            for (Event event : events) {
                try (PreparedStatement mark = connection.prepareStatement(
                        "INSERT INTO bare_processed (consumer_group, event_id) VALUES (?, ?) ON CONFLICT DO NOTHING")) {
                    mark.setString(1, "bench");
                    mark.setObject(2, event.id());
                    if (mark.executeUpdate() == 1) {
                        business(connection, event.key(), event.payload());
                    }
                }
                connection.commit();
            }
            connection.setAutoCommit(true);
        }
    }

    private static void business(Connection connection, String key, String payload) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO ledger (key, payload) VALUES (?, ?)")) {
            insert.setString(1, key);
            insert.setString(2, payload);
            insert.executeUpdate();
        }
    }
}
