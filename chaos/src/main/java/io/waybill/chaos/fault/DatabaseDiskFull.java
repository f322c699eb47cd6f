package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterOptions;
import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.embedded.LocalPostgres;
import io.waybill.faults.database.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** The disk of the database is full. */
final class DatabaseDiskFull implements Fault {
    /** Enough for the database and one or two standbys. */
    private static final int MEGABYTES = 1_024;

    /** Whether this process can mount a small disk. */
    @Override
    public boolean possible() {
        try {
            Path folder = Files.createTempDirectory("waybill-small-disk-");
            try {
                Optional<SmallDisk> disk = SmallDisk.mount(folder, 1);
                disk.ifPresentOrElse(
                        SmallDisk::close,
                        () -> System.err.println(
                                "NOT RUN: database-disk-full needs its own file system, and this process cannot"
                                        + " mount one. Run as root."));
                return disk.isPresent();
            } finally {
                Files.delete(folder);
            }
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public String name() {
        return "database-disk-full";
    }

    @Override
    public String description() {
        return "the disk of PostgreSQL is full; if the server stops, it is restarted when space is free again";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.DATABASE);
    }

    /** Puts the database on its own disk. */
    @Override
    public void prepare(ClusterOptions options) {
        SmallDisk.mount(options.folder().resolve("disk"), MEGABYTES)
                .ifPresent(disk -> options.databaseFolder(disk.folder().resolve("postgres"))
                        .own(disk));
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        return new Injection() {
            @Override
            public String parameters() {
                return "";
            }

            @Override
            public void inject(Cluster cluster) {
                disk(cluster).fill();
            }

            @Override
            public void heal(Cluster cluster) {
                disk(cluster).free();
                LocalPostgres server = cluster.database().server();
                server.restart(); // the server may have stopped, be about to stop, or still run
            }

            @Override
            public int interruptions() {
                return size.relays();
            }
        };
    }

    private static SmallDisk disk(Cluster cluster) {
        Path folder = cluster.database().server().folder();
        return SmallDisk.under(folder)
                .orElseThrow(() -> new IllegalStateException(folder
                        + " is not on a small disk. Run as root, which can mount one, or omit database-disk-full."));
    }
}
