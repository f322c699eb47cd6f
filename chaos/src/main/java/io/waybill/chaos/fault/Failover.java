package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import io.waybill.embedded.LocalPostgres;
import io.waybill.testkit.history.Ledger;
import io.waybill.testkit.servers.Standby;
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
 * The database dies for good and a standby takes its place.
 *
 * @param synchronous whether the standby has every commit. If not, it hears of nothing while the fault acts: the database loses
 *     what was committed then, events that are out already among it, and the consumer's effects
 */
record Failover(boolean synchronous) implements Fault {
    @Override
    public String name() {
        return synchronous ? "failover-sync" : "failover-async";
    }

    @Override
    public String description() {
        return synchronous
                ? "kill -9 of PostgreSQL; its synchronous standby is promoted, and everybody is led there"
                : "the same with a standby that lags some seconds behind, so that the database itself loses commits";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.DATABASE);
    }

    @Override
    public Set<Invariant> waives() {
        return synchronous ? Set.of() : Set.of(Invariant.I5);
    }

    /** Nobody starts it again, and a long run has many of them. */
    private static void delete(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    @Override
    public Injection draw(Random random, Shape shape) {
        return new Injection() {
            private @Nullable Standby standby;

            @Override
            public String parameters() {
                return "";
            }

            @Override
            public void inject(World world) {
                LocalPostgres server = world.database().server();
                Standby follower = Standby.of(
                        server, server.folder().resolveSibling("postgres-" + UUID.randomUUID()), synchronous);
                standby = world.own(follower);
                if (synchronous) {
                    server.kill();
                } else {
                    follower.holdBack();
                }
            }

            @Override
            public void heal(World world) throws IOException {
                if (standby != null) {
                    LocalPostgres former = world.database().server();
                    former.kill();
                    world.database().moveTo(standby.promote());
                    former.restart(); // alone, for a look at what it had
                    world.database().remember(Ledger.committed(former.jdbcUrl()));
                    former.kill();
                    delete(former.folder().resolve("data"));
                }
            }

            /** What a relay had in flight, and what it had settled and the standby has not heard of. */
            @Override
            public int windows() {
                return synchronous ? shape.relays() : 2 * shape.relays();
            }
        };
    }
}
