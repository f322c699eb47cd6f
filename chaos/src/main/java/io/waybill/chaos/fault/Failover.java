package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.embedded.LocalPostgres;
import io.waybill.faults.database.Standby;
import io.waybill.faults.history.Ledger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The primary is killed for good, and a standby is promoted.
 *
 * @param synchronous whether the standby is synchronous. An asynchronous standby receives no changes while the fault is
 *     active. After its promotion, the database lacks the commits of that time: events, some of them already published,
 *     and effects of consumers
 */
record Failover(boolean synchronous) implements Fault {
    @Override
    public String name() {
        return synchronous ? "failover-sync" : "failover-async";
    }

    @Override
    public String description() {
        return synchronous
                ? "PostgreSQL is killed with SIGKILL, and its synchronous standby is promoted"
                : "PostgreSQL is killed with SIGKILL, and an asynchronous standby that lags some seconds is promoted, so the database loses commits";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.DATABASE);
    }

    @Override
    public Set<Invariant> waives() {
        return synchronous ? Set.of() : Set.of(Invariant.I5, Invariant.I8);
    }

    /** The killed server is not restarted, so it is removed; a long run has many of them. */
    private static void delete(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        return new Injection() {
            private @Nullable Standby standby;

            @Override
            public String parameters() {
                return "";
            }

            @Override
            public void inject(Cluster cluster) {
                LocalPostgres server = cluster.database().server();
                Standby follower = Standby.of(
                        server, server.folder().resolveSibling("postgres-" + UUID.randomUUID()), synchronous);
                standby = cluster.own(follower);
                if (synchronous) {
                    server.kill();
                } else {
                    follower.holdBack();
                }
            }

            @Override
            public void heal(Cluster cluster) throws IOException {
                if (standby != null) {
                    LocalPostgres former = cluster.database().server();
                    former.kill();
                    cluster.database().moveTo(standby.promote());
                    former.restart(); // without clients, to read the commits that it had
                    cluster.database().remember(Ledger.committed(former.jdbcUrl()));
                    former.kill();
                    delete(former.folder().resolve("data"));
                }
            }

            /** Events in flight, and settlements that were not replicated to the standby. */
            @Override
            public int interruptions() {
                return synchronous ? size.relays() : 2 * size.relays();
            }
        };
    }
}
