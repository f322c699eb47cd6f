package io.waybill.chaos.cluster;

import static java.util.Objects.requireNonNull;

import io.waybill.faults.saga.SagaBug;
import io.waybill.jdbc.Engine;
import io.waybill.processes.TransportBug;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The options of a cluster. A fault can change them before the cluster starts. */
public final class ClusterOptions {
    final Engine engine;
    final ClusterSize size;
    final Path folder;
    final Map<String, String> databaseSettings = new LinkedHashMap<>();
    final Map<String, String> databaseEnvironment = new LinkedHashMap<>();
    final List<AutoCloseable> owned = new ArrayList<>();
    Path databaseFolder;
    int keys = 30;
    int rate = 150;
    int sagaRate = 6;
    long seed = 1;
    TransportBug bug = TransportBug.NONE;
    SagaBug sagaBug = SagaBug.NONE;

    /** @param folder the folder for data, logs and histories */
    public ClusterOptions(Engine engine, ClusterSize size, Path folder) {
        this.engine = requireNonNull(engine, "engine");
        this.size = requireNonNull(size, "size");
        this.folder = requireNonNull(folder, "folder");
        this.databaseFolder = folder.resolve("postgres");
    }

    /** The number of keys (default 30). */
    public ClusterOptions keys(int keys) {
        this.keys = keys;
        return this;
    }

    /** The approximate transactions per second of all writers together (default 150). */
    public ClusterOptions rate(int transactions) {
        this.rate = transactions;
        return this;
    }

    /** The approximate number of sagas that all engines together start per second (default 6). */
    public ClusterOptions sagaRate(int sagas) {
        this.sagaRate = sagas;
        return this;
    }

    /** The seed of the writers, which is independent of the schedule. */
    public ClusterOptions seed(long seed) {
        this.seed = seed;
        return this;
    }

    /** A bug of all relays, to show that the checks can fail. */
    public ClusterOptions bug(TransportBug bug) {
        this.bug = requireNonNull(bug, "bug");
        return this;
    }

    /** A bug of all saga engines, to show that the checks can fail. */
    public ClusterOptions sagaBug(SagaBug bug) {
        this.sagaBug = requireNonNull(bug, "bug");
        return this;
    }

    /** The data folder of the database, for example on a small disk. */
    public ClusterOptions databaseFolder(Path folder) {
        this.databaseFolder = requireNonNull(folder, "folder");
        return this;
    }

    /** The folder for data, logs and histories. */
    public Path folder() {
        return folder;
    }

    /** Closes the resource with the cluster, after its servers. */
    public ClusterOptions own(AutoCloseable resource) {
        owned.add(resource);
        return this;
    }

    /** A server parameter of the database, such as {@code wal_level}. */
    public ClusterOptions databaseSetting(String name, String value) {
        databaseSettings.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
        return this;
    }

    /** An environment variable of the database's processes, such as {@code LD_PRELOAD}. */
    public ClusterOptions databaseEnvironment(String name, String value) {
        databaseEnvironment.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
        return this;
    }

    Duration pause() {
        return Duration.ofMillis(1_000L * size.writers() / rate);
    }
}
