package io.waybill.faults.database;

import static org.awaitility.Awaitility.await;

import io.waybill.embedded.LocalPostgres;
import io.waybill.internal.DaemonThreads;
import io.waybill.testkit.network.TcpProxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A server that follows a primary by streaming replication and can be promoted.
 *
 * <p>It connects to its primary through a proxy. {@link #holdBack} cuts that connection, so a test decides which commits an
 * asynchronous standby lacks when the primary dies.
 */
public final class Standby implements AutoCloseable {
    private static final String PROBE = "waybill-standby-probe";

    private final LocalPostgres primary;
    private final LocalPostgres server;
    private final TcpProxy replication;

    private Standby(LocalPostgres primary, Path folder) {
        this.primary = primary;
        this.replication = TcpProxy.to(primary.port());
        this.server = LocalPostgres.builder(folder)
                .standbyOf(primary, replication.port())
                .start();
    }

    /**
     * Copies the primary, which must run, to this folder, and returns when the copy follows it.
     *
     * @param synchronous whether a commit waits until the standby has it
     */
    public static Standby of(LocalPostgres primary, Path folder, boolean synchronous) {
        Standby standby = new Standby(primary, folder);
        if (synchronous) {
            change(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
        }
        standby.awaitRow("the standby follows", "sync_state = '" + (synchronous ? "sync" : "async") + "'");
        if (synchronous) {
            standby.awaitWaitingCommits();
        }
        return standby;
    }

    /**
     * Waits until a commit on the primary waits for the frozen standby. {@code sync_state} is not enough: the sender of the log shows it
     * when it has read the new setting, but commits wait only when the checkpointer has read it, too. A primary that is killed in
     * between loses commits that it has reported as successful.
     */
    private void awaitWaitingCommits() {
        AtomicBoolean effective = new AtomicBoolean();
        Thread probe = DaemonThreads.create("standby-probe", () -> commitUntil(effective));
        server.suspend();
        try {
            probe.start();
            awaitRow(
                    "commits wait for the standby",
                    "EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = '" + PROBE
                            + "' AND wait_event = 'SyncRep')");
        } finally {
            effective.set(true);
            server.resume();
        }
        try {
            probe.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while a commit waited for the standby", e);
        }
    }

    /** Commits again and again. The last commit waits until the standby continues. */
    private void commitUntil(AtomicBoolean effective) {
        try (Connection connection = DriverManager.getConnection(primary.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute("SET application_name = '" + PROBE + "'");
            while (!effective.get()) {
                statement.execute("SELECT pg_logical_emit_message(true, 'waybill', 'probe')");
            }
        } catch (SQLException e) {
            throw new IllegalStateException("The commit that waits for the standby failed", e);
        }
    }

    /** Stops replication. If the standby is synchronous, commits on the primary now wait. */
    public void holdBack() {
        replication.cut();
    }

    /** Waits until the standby has replayed all current commits. */
    public void awaitReplayed() {
        awaitRow("the standby has replayed all", "replay_lsn >= pg_current_wal_flush_lsn()");
    }

    /** Promotes the standby to a primary without a standby. The former primary must be dead, or there are two primaries. */
    public LocalPostgres promote() {
        server.promote();
        replication.close();
        change(server, "ALTER SYSTEM RESET synchronous_standby_names"); // copied from the former primary
        return server;
    }

    private void awaitRow(String what, String condition) {
        await(what).atMost(Duration.ofMinutes(4)).until(() -> {
            try (Connection connection = DriverManager.getConnection(primary.jdbcUrl());
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND " + condition)) {
                return row.next();
            }
        });
    }

    private static void change(LocalPostgres server, String sql) {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            statement.execute("SELECT pg_reload_conf()");
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    @Override
    public void close() {
        replication.close();
        server.close();
    }
}
