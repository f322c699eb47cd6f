package io.waybill.chaos.cluster;

import io.waybill.embedded.LocalPostgres;
import io.waybill.testkit.network.TcpProxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The database and the proxies to it. Each process has its own proxy, which leads to the current primary. */
public final class DatabaseServer {
    /** The same kinds of timeouts as in the waybill program, but shorter. */
    private static final String TIMEOUTS = "&connectTimeout=5&loginTimeout=5&socketTimeout=10&tcpKeepAlive=true";

    private final List<TcpProxy> links = new CopyOnWriteArrayList<>();
    private final TcpProxy observer;
    private final Set<UUID> formerly = ConcurrentHashMap.newKeySet();
    private volatile LocalPostgres server;

    DatabaseServer(LocalPostgres server) {
        this.server = server;
        this.observer = newLink();
    }

    /** The current primary. */
    public LocalPostgres server() {
        return server;
    }

    /** Switches to another server, as after a failover: all proxies lead there, and open connections are closed. */
    public void moveTo(LocalPostgres next) {
        server = next;
        links.forEach(link -> link.moveTo(next.port()));
    }

    /** Records the events that a former primary had committed. */
    public void remember(Set<UUID> committed) {
        formerly.addAll(committed);
    }

    /** Returns the events that former primaries had committed. */
    public Set<UUID> formerly() {
        return Set.copyOf(formerly);
    }

    /** The address of the current primary without a proxy, for checks. */
    public String jdbcUrl() {
        return server.jdbcUrl() + TIMEOUTS;
    }

    /** The address through a proxy that follows the current primary and that no network fault affects. For checks during the run. */
    public String observerUrl() {
        return jdbcUrl(observer);
    }

    /** Executes a statement on the current primary. */
    public void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns the first column of the first row of a query on the current primary. */
    public long number(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    TcpProxy newLink() {
        TcpProxy link = TcpProxy.to(server.port());
        links.add(link);
        return link;
    }

    /** The address through a proxy. */
    String jdbcUrl(TcpProxy link) {
        return server.jdbcUrl().replaceFirst(":[0-9]+/", ":" + link.port() + "/") + TIMEOUTS;
    }

    List<TcpProxy> links() {
        return links;
    }
}
