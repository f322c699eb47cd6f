package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterOptions;
import io.waybill.chaos.cluster.ClusterSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The clock of the database steps, and steps back when the fault ends. A relay is killed before each step back, so that its leases
 * expire in the future.
 *
 * <p>The database runs with libfaketime, which adds an offset from a file to the time of day of its processes. It reads
 * the file at every call, so that all processes see a step at once. The monotonic clock is not changed.
 */
final class ClockStep implements Fault {
    static final String NAME = "clock-step";

    private static final Path LIBRARIES = Path.of("/usr/lib");
    private static final String LIBRARY = "faketime/libfaketimeMT.so.1";
    private static final String FILE = "database-clock";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "the clock of the database steps forwards or backwards by minutes, and back at the end; a relay is killed at each"
                + " step back";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.DATABASE, Target.RELAYS);
    }

    @Override
    public boolean possible() {
        boolean possible = library().isPresent();
        if (!possible) {
            System.err.println("NOT RUN: clock-step needs libfaketime. Install it: apt-get install faketime.");
        }
        return possible;
    }

    /** Returns the library, for example /usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1. */
    private static Optional<Path> library() {
        try (Stream<Path> machines = Files.list(LIBRARIES)) {
            return machines.map(machine -> machine.resolve(LIBRARY))
                    .filter(Files::exists)
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public void prepare(ClusterOptions options) {
        Path library = library()
                .orElseThrow(() -> new IllegalStateException(
                        "clock-step needs libfaketime. Install it (apt-get install faketime), or leave the"
                                + " fault out."));
        step(options.folder(), Duration.ZERO);
        options.databaseEnvironment("LD_PRELOAD", library.toString())
                .databaseEnvironment(
                        "FAKETIME_TIMESTAMP_FILE",
                        options.folder().resolve(FILE).toAbsolutePath().toString())
                .databaseEnvironment("FAKETIME_NO_CACHE", "1")
                .databaseEnvironment("FAKETIME_DONT_RESET", "1")
                .databaseEnvironment("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }

    /** Replaces the file by a rename, so that the database never reads a partial line. */
    private static void step(Path folder, Duration offset) {
        try {
            Files.createDirectories(folder);
            Path whole = Files.writeString(
                    folder.resolve(FILE + ".new"), (offset.isNegative() ? "" : "+") + offset.toSeconds() + "\n");
            Files.move(whole, folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("The clock of the database cannot be set", e);
        }
    }

    @Override
    public Span lasts() {
        return new Span(2, 8);
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        int relay = random.nextInt(size.relays());
        boolean forwards = random.nextBoolean();
        Duration length = Duration.ofMinutes(5L + random.nextInt(26));
        return new Injection() {
            @Override
            public String parameters() {
                return (forwards ? "forwards by " : "backwards by ") + length + ", relay-" + (relay + 1) + " is killed";
            }

            @Override
            public void inject(Cluster cluster) {
                if (!forwards) {
                    cluster.relays().get(relay).kill();
                }
                step(cluster.folder(), forwards ? length : length.negated());
            }

            @Override
            public void heal(Cluster cluster) {
                if (forwards) {
                    cluster.relays().get(relay).kill();
                }
                step(cluster.folder(), Duration.ZERO);
                cluster.relays().get(relay).start();
            }

            /** A step forwards expires all leases at once. */
            @Override
            public int interruptions() {
                return size.relays() + 1;
            }
        };
    }
}
