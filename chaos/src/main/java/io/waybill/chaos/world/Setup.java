package io.waybill.chaos.world;

import static java.util.Objects.requireNonNull;

import io.waybill.chaos.process.TransportBug;
import io.waybill.jdbc.Engine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How a world is to be made; a fault may ask here for what it needs, before there is one. */
public final class Setup {
    final Engine engine;
    final Shape shape;
    final Path folder;
    final Map<String, String> databaseSettings = new LinkedHashMap<>();
    final Map<String, String> databaseEnvironment = new LinkedHashMap<>();
    final List<AutoCloseable> owned = new ArrayList<>();
    Path databaseFolder;
    int keys = 30;
    int rate = 150;
    long seed = 1;
    TransportBug bug = TransportBug.NONE;

    /** @param folder for data, logs and histories */
    public Setup(Engine engine, Shape shape, Path folder) {
        this.engine = requireNonNull(engine, "engine");
        this.shape = requireNonNull(shape, "shape");
        this.folder = requireNonNull(folder, "folder");
        this.databaseFolder = folder.resolve("postgres");
    }

    /** Over how many keys the writers spread their events: 30. */
    public Setup keys(int keys) {
        this.keys = keys;
        return this;
    }

    /** About how many transactions a second all writers try together: 150. */
    public Setup rate(int transactions) {
        this.rate = transactions;
        return this;
    }

    /** For what the writers choose; the schedule has nothing to do with it. */
    public Setup seed(long seed) {
        this.seed = seed;
        return this;
    }

    /** A mistake that all relays make, so that the checks can be seen to fail. */
    public Setup bug(TransportBug bug) {
        this.bug = requireNonNull(bug, "bug");
        return this;
    }

    /** Where the database keeps its data: a folder on a small disk, for instance. */
    public Setup databaseFolder(Path folder) {
        this.databaseFolder = requireNonNull(folder, "folder");
        return this;
    }

    /** For data, logs and histories. */
    public Path folder() {
        return folder;
    }

    /** Closed with the world, after its servers. */
    public Setup own(AutoCloseable resource) {
        owned.add(resource);
        return this;
    }

    /** A server parameter of the database, such as {@code wal_level}. */
    public Setup databaseSetting(String name, String value) {
        databaseSettings.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
        return this;
    }

    /** An environment variable of the database's processes, such as {@code LD_PRELOAD}. */
    public Setup databaseEnvironment(String name, String value) {
        databaseEnvironment.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
        return this;
    }

    Duration pause() {
        return Duration.ofMillis(1_000L * shape.writers() / rate);
    }
}
