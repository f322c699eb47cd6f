package io.waybill.chaos.fault;

import io.waybill.chaos.world.Setup;
import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import io.waybill.embedded.LocalPostgres;
import io.waybill.testkit.faults.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** The database's disk has no space left for a while. */
final class DiskFull implements Fault {
    /** For the database, and a standby or two beside it. */
    private static final int MEGABYTES = 1_024;

    /** Whether this process may mount a small disk. */
    @Override
    public boolean possible() {
        try {
            Path folder = Files.createTempDirectory("waybill-small-disk-");
            try {
                Optional<SmallDisk> disk = SmallDisk.mount(folder, 1);
                disk.ifPresentOrElse(
                        SmallDisk::close,
                        () -> System.err.println(
                                "NOT RUN: disk-full needs a file system of its own, and this process may"
                                        + " not mount one. Run as root."));
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
        return "disk-full";
    }

    @Override
    public String description() {
        return "a file takes all the space that PostgreSQL has; should it end itself, it is restarted when there is some again";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.DATABASE);
    }

    /** The database gets a disk of its own. */
    @Override
    public void prepare(Setup setup) {
        SmallDisk.mount(setup.folder().resolve("disk"), MEGABYTES)
                .ifPresent(disk ->
                        setup.databaseFolder(disk.folder().resolve("postgres")).own(disk));
    }

    @Override
    public Injection draw(Random random, Shape shape) {
        return new Injection() {
            @Override
            public String parameters() {
                return "";
            }

            @Override
            public void inject(World world) {
                disk(world).fill();
            }

            @Override
            public void heal(World world) {
                disk(world).free();
                LocalPostgres server = world.database().server();
                server.restart(); // whether it has ended itself, is about to, or is still there
            }

            @Override
            public int windows() {
                return shape.relays();
            }
        };
    }

    private static SmallDisk disk(World world) {
        Path folder = world.database().server().folder();
        return SmallDisk.under(folder)
                .orElseThrow(() -> new IllegalStateException(
                        folder + " is on no small disk. Run as root, who may mount" + " one, or leave disk-full out."));
    }
}
