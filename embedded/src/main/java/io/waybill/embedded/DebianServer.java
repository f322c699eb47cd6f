package io.waybill.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Servers of Debian suites that may be newer or older than the machine's own. Their packages are unpacked into the
 * {@link ProgramCache} and not installed. This needs Debian's tools and once the network, but neither root nor a
 * container.
 *
 * <p>The first use takes the version that the suite has at that time. It stays until its folder is deleted; the file
 * {@code packages.sha256} in the folder says which one it is.
 */
public enum DebianServer {
    /** MySQL 9. */
    MYSQL(
            "sid",
            "mysql-server-core",
            "usr/sbin/mysqld",
            "usr/share/mysql/charsets",
            "usr/share/mysql/english",
            // The server loads this component at each start.
            "usr/lib/mysql/plugin/component_reference_cache.so"),
    MARIADB_10_11(
            "bookworm",
            "mariadb-server-core mariadb-client-core",
            "usr/sbin/mariadbd",
            "usr/bin/mariadb-install-db",
            "usr/bin/my_print_defaults",
            "usr/bin/resolveip",
            "usr/share/mysql"),
    /** RabbitMQ 4, with the Erlang that it needs. */
    RABBITMQ("sid", "rabbitmq-server", "usr/lib/erlang", "usr/lib/rabbitmq"),
    /** NATS 2.15 or newer. */
    NATS("sid", "nats-server", "usr/sbin/nats-server"),
    /** PostgreSQL 18 with the DocumentDB extension. */
    DOCUMENTDB(
            "forky",
            "postgresql-18-documentdb",
            "usr/lib/postgresql/18/bin/postgres",
            "usr/lib/postgresql/18/bin/initdb",
            "usr/lib/postgresql/18/lib/pg_documentdb.so",
            "usr/lib/postgresql/18/lib/pg_documentdb_core.so",
            "usr/lib/postgresql/18/lib/pg_documentdb_extended_rum*.so",
            "usr/lib/postgresql/18/lib/postgis-3.so",
            "usr/lib/postgresql/18/lib/vector.so",
            "usr/lib/postgresql/18/lib/pg_cron.so",
            "usr/lib/postgresql/18/lib/rum.so",
            "usr/lib/postgresql/18/lib/tsm_system_rows.so",
            "usr/lib/postgresql/18/lib/plpgsql.so",
            "usr/lib/postgresql/18/lib/dict_snowball.so",
            "usr/share/postgresql/18/*.*",
            "usr/share/postgresql/18/timezonesets",
            "usr/share/postgresql/18/tsearch_data",
            "usr/share/postgresql/18/extension/documentdb*",
            "usr/share/postgresql/18/extension/plpgsql*",
            "usr/share/postgresql/18/extension/pg_cron*",
            "usr/share/postgresql/18/extension/tsm_system_rows*",
            "usr/share/postgresql/18/extension/vector*",
            "usr/share/postgresql/18/extension/rum*",
            "usr/share/postgresql/18/extension/postgis--?.?.?.sql",
            // Debian chooses among its versions of PostGIS when a package is installed.
            "usr/share/postgresql/18/extension/postgis-3.control:usr/share/postgresql/18/extension/postgis.control");

    private static final Duration LIMIT = Duration.ofMinutes(10);

    /** Failed attempts, so that the next test that needs the same server does not wait for the network again. */
    private static final Map<DebianServer, String> FAILURES = new ConcurrentHashMap<>();

    private final String suite;
    private final String packages;

    /** Separated by spaces. */
    private final String paths;

    DebianServer(String suite, String packages, String... paths) {
        this.suite = suite;
        this.packages = packages;
        this.paths = String.join(" ", paths);
    }

    /**
     * Returns the folder that stands for the root folder of the packages, such as {@code usr/sbin/nats-server} in it. The
     * first call on a machine downloads them.
     *
     * @throws LocalServerException when the packages cannot be downloaded or unpacked on this machine
     */
    public synchronized Path home() {
        String failure = FAILURES.get(this);
        if (failure == null) {
            try {
                return ProgramCache.folder(packages.replace(' ', '+') + "-" + suite, this::unpack);
            } catch (IOException | LocalServerException e) {
                failure = "Cannot download and unpack " + packages + " of Debian " + suite + ": " + e.getMessage();
                if (!Thread.currentThread().isInterrupted()) {
                    FAILURES.put(this, failure);
                }
            }
        }
        throw new LocalServerException(failure);
    }

    /**
     * Returns the reason why the server cannot run on this machine, or empty if it can. The first call on a machine
     * downloads it.
     */
    public Optional<String> obstacle() {
        try {
            home();
            return Optional.empty();
        } catch (LocalServerException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private void unpack(Path folder) throws IOException {
        Path script = folder.resolve("debian.sh");
        try (InputStream in = DebianServer.class.getResourceAsStream("debian.sh")) {
            if (in == null) {
                throw new IllegalStateException("debian.sh is missing beside the class DebianServer");
            }
            Files.copy(in, script);
        }
        List<String> command = new ArrayList<>(List.of("sh", script.toString(), folder.toString(), suite, packages));
        command.addAll(List.of(paths.split(" ", -1)));
        Path log = Files.createTempFile("waybill-debian-", ".log");
        try {
            Command.run(
                    "unpack packages. It needs Debian's apt-get and its package archive",
                    new ProcessBuilder(command),
                    LIMIT,
                    log);
        } finally {
            Files.delete(log);
        }
    }
}
