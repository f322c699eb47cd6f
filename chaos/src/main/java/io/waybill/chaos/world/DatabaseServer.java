package io.waybill.chaos.world;

import io.waybill.embedded.LocalPostgres;
import io.waybill.testkit.faults.TcpProxy;
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

/** The database, and the ways to it. Every process has a way of its own, which leads to whichever server serves now. */
public final class DatabaseServer {
    /** Nobody waits for a silent server for ever: as the waybill program's own connections, but sooner. */
    private static final String TIMEOUTS = "&connectTimeout=5&loginTimeout=5&socketTimeout=10&tcpKeepAlive=true";

    private final List<TcpProxy> links = new CopyOnWriteArrayList<>();
    private final TcpProxy observer;
    private final Set<UUID> formerly = ConcurrentHashMap.newKeySet();
    private volatile LocalPostgres server;

    DatabaseServer(LocalPostgres server) {
        this.server = server;
        this.observer = newLink();
    }

    /** The server that serves now. */
    public LocalPostgres server() {
        return server;
    }

    /** Another server takes over, as after a failover: every way leads there, and open connections end. */
    public void moveTo(LocalPostgres next) {
        server = next;
        links.forEach(link -> link.moveTo(next.port()));
    }

    /** Notes what a server that is given up had committed, whether or not its successor has it. */
    public void remember(Set<UUID> committed) {
        formerly.addAll(committed);
    }

    /** What servers that were given up had committed. */
    public Set<UUID> formerly() {
        return Set.copyOf(formerly);
    }

    /** Straight to the server that serves now, for those who look at the world from outside. */
    public String jdbcUrl() {
        return server.jdbcUrl() + TIMEOUTS;
    }

    /** The same, and it follows the database when that moves. */
    public String observerUrl() {
        return jdbcUrl(observer);
    }

    /** Runs a statement on the server that serves now. */
    public void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of the first row, from the server that serves now. */
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

    /** Through a link, to whichever server serves. */
    String jdbcUrl(TcpProxy link) {
        return server.jdbcUrl().replaceFirst(":[0-9]+/", ":" + link.port() + "/") + TIMEOUTS;
    }

    List<TcpProxy> links() {
        return links;
    }
}
