package io.waybill.server.up;

import io.waybill.embedded.LocalKafka;
import io.waybill.embedded.LocalPostgres;
import io.waybill.embedded.LocalServer;
import io.waybill.internal.DaemonThreads;
import io.waybill.internal.LogText;
import io.waybill.server.daemon.Closeables;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The local PostgreSQL and Kafka of {@code waybill up}. Each is started only when no other server is configured. */
public final class LocalServers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalServers.class);
    private static final String DATABASE = "waybill";

    private final Closeables parts = new Closeables();
    private final List<LocalServer> servers = new ArrayList<>();
    private final Thread watch = DaemonThreads.create("waybill-watch", this::watch);
    private @Nullable LocalPostgres postgres;
    private @Nullable LocalKafka kafka;

    private LocalServers() {}

    /** Starts the servers in parallel. Calls {@code progress} with a line for each server that is ready. */
    public static LocalServers start(
            UpFolder folder, boolean withPostgres, boolean withKafka, Consumer<String> progress) {
        LocalServers local = new LocalServers();
        // Not the common pool: on two cores it has one thread on JDK 25, which would start the servers one after the
        // other.
        Executor threads = task -> new Thread(task, "waybill-start").start();
        var database = CompletableFuture.supplyAsync(
                () -> withPostgres
                        ? timed("PostgreSQL", progress, () -> LocalPostgres.start(folder.part("postgres")))
                        : null,
                threads);
        var broker = CompletableFuture.supplyAsync(
                () -> withKafka ? timed("Kafka", progress, () -> LocalKafka.start(folder.part("kafka"))) : null,
                threads);
        // Waits for both even if one fails: close() must stop each server that was started.
        RuntimeException failure = null;
        try {
            local.postgres = local.keep(database.join());
        } catch (CompletionException e) {
            failure = unwrap(e);
        }
        try {
            local.kafka = local.keep(broker.join());
        } catch (CompletionException e) {
            failure = failure == null ? unwrap(e) : failure;
        }
        if (failure == null && local.postgres != null) {
            failure = createDatabase(local.postgres);
        }
        if (failure != null) {
            local.close();
            throw failure;
        }
        local.watch.start();
        return local;
    }

    private static <T> T timed(String name, Consumer<String> progress, Supplier<T> start) {
        long began = System.nanoTime();
        T server = start.get();
        double seconds = Duration.ofNanos(System.nanoTime() - began).toMillis() / 1_000.0;
        progress.accept(String.format(Locale.ROOT, "%s (%.1f s)", name, seconds));
        return server;
    }

    private <T extends LocalServer> @Nullable T keep(@Nullable T server) {
        if (server != null) {
            servers.add(parts.add(server));
        }
        return server;
    }

    private static RuntimeException unwrap(CompletionException e) {
        return e.getCause() instanceof RuntimeException cause ? cause : e;
    }

    private static @Nullable RuntimeException createDatabase(LocalPostgres postgres) {
        try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl());
                Statement statement = connection.createStatement()) {
            try (ResultSet found =
                    statement.executeQuery("SELECT 1 FROM pg_database WHERE datname = '" + DATABASE + "'")) {
                if (found.next()) {
                    return null;
                }
            }
            statement.execute("CREATE DATABASE " + DATABASE);
            return null;
        } catch (SQLException e) {
            return new Problem(Exit.DATABASE, "Cannot create database " + DATABASE + ": " + e.getMessage(), e);
        }
    }

    private void watch() {
        try {
            while (!Thread.interrupted()) {
                TimeUnit.SECONDS.sleep(2);
                revive();
            }
        } catch (InterruptedException e) {
            // closing
        }
    }

    /** Restarts a server that has died, with its data. */
    private void revive() {
        for (LocalServer server : servers) {
            if (!server.running()) {
                String name = server.getClass().getSimpleName();
                LOG.warn("{} has stopped; restarting it", name);
                try {
                    server.restart();
                    LOG.info("{} runs again", name);
                } catch (RuntimeException e) {
                    LOG.warn("Cannot restart {}; retrying in 2 s: {}", name, LogText.oneLine(e.getMessage()));
                }
            }
        }
    }

    public @Nullable String jdbcUrl() {
        return postgres == null ? null : postgres.jdbcUrl(DATABASE);
    }

    public @Nullable String bootstrapServers() {
        return kafka == null ? null : kafka.bootstrapServers();
    }

    @Override
    public void close() {
        watch.interrupt();
        try {
            watch.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        parts.close();
    }
}
