package io.waybill.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.Event;
import io.waybill.bench.measure.Cpu;
import io.waybill.bench.measure.CpuTime;
import io.waybill.embedded.LocalPostgres;
import io.waybill.envelope.Envelope;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.Received;
import io.waybill.jdbc.InboxSchema;
import io.waybill.jdbc.PostgresInbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Applies events through the inbox and through a bare loop (INSERT … ON CONFLICT DO NOTHING, business INSERT, commit), in turns, in
 * one run, without a broker: read the ratios.
 */
final class InboxBench {
    private final HikariDataSource source;
    private final int threads;
    private final Inbox<Connection> inbox;
    private final CpuTime cpu;

    private InboxBench(String jdbcUrl, int threads, CpuTime cpu) {
        this.cpu = cpu;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(threads + 1);
        this.source = new HikariDataSource(config);
        this.threads = threads;
        InboxSchema.apply(source);
        execute(
                "CREATE TABLE bare_processed (consumer_group text, event_id uuid, processed_at timestamptz DEFAULT now(),"
                        + " PRIMARY KEY (consumer_group, event_id))");
        execute("CREATE TABLE ledger (key text, payload text)");
        this.inbox = Inbox.builder(PostgresInbox.on(source).store(), "bench")
                .on("order.placed", (event, connection) -> business(connection, event.key(), event.payload()))
                .build();
    }

    static void run(int events, int batch, int rounds, int threads) throws Exception {
        Path folder = Files.createTempDirectory("waybill-bench-");
        try (LocalPostgres postgres = LocalPostgres.start(folder.resolve("postgres"))) {
            CpuTime cpu = new CpuTime(OptionalLong.of(postgres.pid()), OptionalLong.empty());
            InboxBench bench = new InboxBench(postgres.jdbcUrl(), threads, cpu);
            System.out.printf("%d events, %d threads, batches of %d; warming up%n", events, threads, batch);
            bench.round(events / 4, batch, false);
            for (int round = 0; round < rounds; round++) {
                bench.round(events, batch, true);
            }
            bench.source.close();
        } finally {
            try (Stream<Path> paths = Files.walk(folder)) {
                for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }

    /** Events per second by the wall clock, and CPU microseconds per event of this JVM and PostgreSQL. */
    private record Measured(double perSecond, double cpuMicros) {
        @Override
        public String toString() {
            return String.format("%,.0f/s at %.0f µs CPU", perSecond, cpuMicros);
        }
    }

    private void round(int events, int batch, boolean print) throws Exception {
        List<List<Event>> first = events(events);
        Measured bare = measure(events, first, this::bareLoop);
        List<List<Received>> single = received(events(events));
        Measured ours = measure(events, single, messages -> messages.forEach(inbox::handle));
        Measured duplicates = measure(events, single, messages -> messages.forEach(inbox::handle));
        List<List<Received>> many = received(events(events));
        Measured batched = measure(events, many, messages -> {
            for (int from = 0; from < messages.size(); from += batch) {
                inbox.handle(messages.subList(from, Math.min(from + batch, messages.size())));
            }
        });
        if (print) {
            System.out.printf(
                    "bare loop %s; inbox %s (ratio %.2f); in batches %s (ratio %.2f); duplicates %s%n",
                    bare,
                    ours,
                    ours.perSecond() / bare.perSecond(),
                    batched,
                    batched.perSecond() / bare.perSecond(),
                    duplicates);
        }
    }

    private List<List<Event>> events(int count) {
        List<List<Event>> shares = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            List<Event> share = new ArrayList<>();
            for (int i = thread; i < count; i += threads) {
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

    private static List<List<Received>> received(List<List<Event>> shares) {
        Envelope envelope = Envelope.standard("bench");
        return shares.stream()
                .map(share -> share.stream()
                        .map(event -> Received.of(envelope.seal(event)))
                        .toList())
                .toList();
    }

    @FunctionalInterface
    private interface Work<M> {
        void on(List<M> messages) throws Exception;
    }

    private <M> Measured measure(int events, List<List<M>> shares, Work<M> work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        long start = System.nanoTime();
        Cpu before = cpu.now();
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
        pool.shutdown();
        double seconds = (System.nanoTime() - start) / 1e9;
        Cpu spent = cpu.now().minus(before);
        return new Measured(events / seconds, (spent.ours() + spent.postgres()) * 1e6 / events);
    }

    private void bareLoop(List<Event> events) throws SQLException {
        try (Connection connection = source.getConnection()) {
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

    private void execute(String sql) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
