package io.waybill.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The files of one PostgreSQL server, and the programs that act on them: {@code data} (the cluster), {@code server.log}
 * and, inside the cluster, {@code waybill.conf} with our settings.
 */
final class PostgresFolder {

    static final String USER = "postgres";

    static final String DATA = "data";

    static final Map<String, String> DEFAULTS = Map.of(
            // These are the defaults. They are named because the promises of Waybill depend on them.
            "fsync", "on",
            "synchronous_commit", "on",
            "full_page_writes", "on",
            "max_connections", "200",
            "timezone", "UTC",
            "log_timezone", "UTC");

    private static final String SETTINGS_FILE = "waybill.conf";

    private final Path folder;
    private final Path data;
    private final Path log;
    private final PostgresBinaries binaries;
    private final Map<String, String> environment;

    /** @param environment variables of the server's processes, beside those of this JVM */
    PostgresFolder(Path folder, PostgresBinaries binaries, Map<String, String> environment) {
        this.folder = folder;
        this.environment = environment;
        this.data = folder.resolve(DATA);
        this.log = folder.resolve("server.log");
        this.binaries = binaries;
    }

    /** Ends a server that a dead JVM left on this folder. Only the holder of the folder's lock may call this. */
    void endOrphan(Duration limit) throws IOException {
        Optional<Long> recorded = recordedPid();
        if (recorded.isEmpty()) {
            return;
        }
        long pid = recorded.get();
        Optional<ServerProcess> orphan = ServerProcess.find(pid).filter(this::isOurs);
        orphan.ifPresent(postmaster -> shutDown(postmaster, limit));
        // PostgreSQL refuses to start if any process has the recorded id: also an unrelated process that got the same
        // id later, or a zombie. So the record is deleted. If no process has the id, the record stays, because
        // PostgreSQL also uses it to find backends that survived their postmaster.
        if (orphan.isPresent() || ProcessHandle.of(pid).isPresent()) {
            Files.deleteIfExists(pidFile());
        }
    }

    /** Creates the cluster if there is none. A crash in between leaves no folder {@code data}. */
    void initialize(Duration limit) throws IOException {
        if (Files.exists(data)) {
            return;
        }
        Path partial = emptied();
        List<String> options = new ArrayList<>(List.of(
                "--pgdata=" + partial,
                "--username=" + USER,
                "--auth=trust",
                "--encoding=UTF8",
                // The same collation on every machine, independent of its locales.
                "--locale=C"));
        if (binaries.version() >= 17) {
            options.addAll(List.of("--locale-provider=builtin", "--builtin-locale=C.UTF-8"));
        }
        run("create the database cluster", limit, binaries.command("initdb", options.toArray(String[]::new)));
        Files.writeString(
                partial.resolve("postgresql.conf"), "\ninclude '" + SETTINGS_FILE + "'\n", StandardOpenOption.APPEND);
        Files.move(partial, data);
    }

    /** Copies the primary's cluster as a standby, unless there is a cluster already. */
    void copy(LocalPostgres primary) throws IOException {
        if (!Files.exists(data)) {
            Path partial = emptied();
            BaseBackup.take(primary, partial);
            Files.move(partial, data);
        }
    }

    private Path emptied() throws IOException {
        Path partial = folder.resolve("data.partial");
        FolderTree.delete(partial);
        return partial;
    }

    void configure(int port, Map<String, String> settings) throws IOException {
        String lines = settings.entrySet().stream()
                .map(setting -> setting.getKey() + " = '" + setting.getValue().replace("'", "''") + "'\n")
                .collect(Collectors.joining());
        Files.writeString(
                data.resolve(SETTINGS_FILE),
                "# Written at every start; use LocalPostgres.builder(folder).setting(name, value).\n"
                        + lines
                        + "port = " + port + "\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n");
    }

    /** Starts the postmaster, in a session of its own, and returns when it accepts connections. */
    ServerProcess launch(Duration limit) throws IOException {
        try {
            run(
                    "start PostgreSQL",
                    limit.plusSeconds(10),
                    binaries.command(
                            "pg_ctl",
                            "start",
                            "--wait",
                            "--timeout=" + Math.max(1, limit.toSeconds()),
                            "--pgdata=" + data,
                            "--log=" + log));
        } catch (LocalServerException failed) {
            endOrphan(limit); // a slow postmaster must not start to serve after this start has failed
            throw failed;
        }
        return recordedPid()
                .flatMap(ServerProcess::find)
                .orElseThrow(() -> new LocalServerException(
                        "PostgreSQL on " + folder + " ended right after its start. " + LogTail.of(log)));
    }

    static void shutDown(ServerProcess postmaster, Duration limit) {
        postmaster.resume();
        postmaster.interrupt();
        if (!postmaster.awaitGone(limit)) {
            postmaster.kill();
        }
    }

    private boolean isOurs(ServerProcess process) {
        List<String> arguments = process.arguments();
        int option = arguments.indexOf("-D");
        return option >= 0
                && option + 1 < arguments.size()
                && Path.of(arguments.get(option + 1)).equals(data);
    }

    private Path pidFile() {
        return data.resolve("postmaster.pid");
    }

    private Optional<Long> recordedPid() throws IOException {
        if (!Files.exists(pidFile())) {
            return Optional.empty();
        }
        return Files.readAllLines(pidFile()).stream()
                .limit(1)
                .filter(line -> line.matches("[0-9]{1,18}"))
                .map(Long::valueOf)
                .findFirst();
    }

    private void run(String purpose, Duration limit, List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        // PGDATA, PGPORT or PGOPTIONS of the user must not affect this server.
        builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
        builder.environment().put("LC_ALL", "C");
        builder.environment().putAll(environment);
        Command.run(
                purpose + " on folder " + folder
                        + ". Repair what the log names (a taken port, a full disk, foreign files in the folder), or"
                        + " start with an empty folder",
                builder,
                limit,
                log);
    }
}
