package io.waybill.faults.database;

import io.waybill.embedded.LocalPostgres;
import io.waybill.testkit.network.TcpProxy;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL with an optional standby, and one address for clients, which moves to the standby in a failover. */
public final class PostgresPair implements AutoCloseable {
    private final Path folder;
    private final TcpProxy address;
    private final Deque<AutoCloseable> servers = new ArrayDeque<>();
    private LocalPostgres primary;
    private @Nullable Standby standby;

    private PostgresPair(Path folder) {
        this.folder = folder;
        this.primary = LocalPostgres.start(folder.resolve("first"));
        this.address = TcpProxy.to(primary.port());
        servers.push(primary);
    }

    /** Starts a primary without a standby. */
    public static PostgresPair start(Path folder) {
        return new PostgresPair(folder);
    }

    /** Adds a standby and returns when it follows the primary. */
    public Standby addStandby(boolean synchronous) {
        Standby added = Standby.of(primary, folder.resolve("standby-" + servers.size()), synchronous);
        servers.push(added);
        standby = added;
        return added;
    }

    /** The JDBC address, with user, of a database on the current primary. */
    public String jdbcUrl(String database) {
        return primary.jdbcUrl(database).replace(":" + primary.port() + "/", ":" + address.port() + "/");
    }

    /** The server that the clients' address leads to. */
    public LocalPostgres primary() {
        return primary;
    }

    /**
     * Kills the primary, promotes the standby and moves the clients' address there.
     *
     * @return the former primary, which does not run; after a restart, its data can be read at its own port
     */
    public LocalPostgres failOver() {
        Standby successor = standby;
        if (successor == null) {
            throw new IllegalStateException("There is no standby to fail over to. Call addStandby first.");
        }
        LocalPostgres former = primary;
        former.kill();
        primary = successor.promote();
        standby = null;
        address.moveTo(primary.port());
        return former;
    }

    @Override
    public void close() {
        address.close();
        for (AutoCloseable server : servers) { // standbys first, because a primary waits for its standby when it stops
            try {
                server.close();
            } catch (Exception e) {
                throw new IllegalStateException("Cannot close " + server, e);
            }
        }
    }
}
