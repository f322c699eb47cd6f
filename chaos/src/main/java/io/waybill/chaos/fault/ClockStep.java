package io.waybill.chaos.fault;

import io.waybill.chaos.world.Setup;
import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
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
 * The clock of the database steps, and steps back when the fault ends. Before each step back a relay is killed: its leases then lie
 * in the future.
 *
 * <p>The database runs with libfaketime, which adds an offset from a file to what its processes see as the time of day. It reads
 * the file whenever they look, so that all of them see a step at once. The monotonic clock goes on as it was.
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
        return "the clock of the database steps by minutes, forwards or backwards, and back when the fault ends; a relay dies with each"
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

    /** For instance /usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1. */
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
    public void prepare(Setup setup) {
        Path library = library()
                .orElseThrow(() -> new IllegalStateException(
                        "clock-step needs libfaketime. Install it (apt-get install faketime), or leave the"
                                + " fault out."));
        step(setup.folder(), Duration.ZERO);
        setup.databaseEnvironment("LD_PRELOAD", library.toString())
                .databaseEnvironment(
                        "FAKETIME_TIMESTAMP_FILE",
                        setup.folder().resolve(FILE).toAbsolutePath().toString())
                .databaseEnvironment("FAKETIME_NO_CACHE", "1")
                .databaseEnvironment("FAKETIME_DONT_RESET", "1")
                .databaseEnvironment("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }

    /** By a rename: the database must not read half a line. */
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
    public Injection draw(Random random, Shape shape) {
        int relay = random.nextInt(shape.relays());
        boolean forwards = random.nextBoolean();
        Duration length = Duration.ofMinutes(5L + random.nextInt(26));
        return new Injection() {
            @Override
            public String parameters() {
                return (forwards ? "forwards by " : "backwards by ") + length + ", relay-" + (relay + 1) + " dies";
            }

            @Override
            public void inject(World world) {
                if (!forwards) {
                    world.relays().get(relay).kill();
                }
                step(world.folder(), forwards ? length : length.negated());
            }

            @Override
            public void heal(World world) {
                if (forwards) {
                    world.relays().get(relay).kill();
                }
                step(world.folder(), Duration.ZERO);
                world.relays().get(relay).start();
            }

            /** A step forwards ends all leases at once. */
            @Override
            public int windows() {
                return shape.relays() + 1;
            }
        };
    }
}
