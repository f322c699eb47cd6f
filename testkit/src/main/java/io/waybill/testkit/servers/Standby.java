package io.waybill.testkit.servers;

import static org.awaitility.Awaitility.await;

import io.waybill.embedded.LocalPostgres;
import io.waybill.testkit.faults.TcpProxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * A server that follows another one by streaming and can take its place.
 *
 * <p>It reaches its primary through a proxy. {@link #holdBack} cuts that, so that a test decides which commits an asynchronous
 * standby has not got when the primary dies.
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
     * Copies the primary, which must run, to this folder. The copy follows it when this returns.
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

    /** Gets nothing from now on; where it is synchronous, nothing is committed either. */
    public void holdBack() {
        replication.cut();
    }

    /** Waits until it has everything that is committed now. */
    public void awaitReplayed() {
        awaitRow("the standby has replayed all", "replay_lsn >= pg_current_wal_flush_lsn()");
    }

    /** Makes it a primary with no standby of its own. The former one must be dead by then, or there are two. */
    public LocalPostgres promote() {
        server.promote();
        replication.close();
        change(server, "ALTER SYSTEM RESET synchronous_standby_names"); // copied with the rest
        return server;
    }

    private void awaitRow(String what, String condition) {
        await(what).atMost(Duration.ofSeconds(30)).until(() -> {
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
