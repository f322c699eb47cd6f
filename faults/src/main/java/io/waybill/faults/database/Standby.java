package io.waybill.faults.database;

import static org.awaitility.Awaitility.await;

import io.waybill.embedded.LocalPostgres;
import io.waybill.testkit.network.TcpProxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * A server that follows a primary by streaming replication and can be promoted.
 *
 * <p>It connects to its primary through a proxy. {@link #holdBack} cuts that connection, so a test decides which commits an
 * asynchronous standby lacks when the primary dies.
 */
public final class Standby implements AutoCloseable {
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
        return standby;
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
