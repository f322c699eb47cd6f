package io.waybill.embedded;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * PostgreSQL 18 with the open-source DocumentDB extension on 127.0.0.1, whose commits are durable. Behind an
 * {@link io.waybill.embedded.mongo.MongoGateway}, it serves the official MongoDB driver with transactions. The user is {@code postgres}
 * and needs no password. The server ends when this JVM does, also when this JVM is killed.
 *
 * <p>It is {@link DebianServer#DOCUMENTDB}: the first start on a machine downloads about 140 MB.
 */
public final class LocalDocumentDb extends InstalledServer {
    private static final Duration CREATION_LIMIT = Duration.ofMinutes(2);
    private static final String LIBRARIES = "pg_cron,pg_documentdb_core,pg_documentdb";
    private static final int PROTOCOL = 3 << 16;
    private static final byte[] LOGIN = "user\0postgres\0database\0postgres\0\0".getBytes(StandardCharsets.US_ASCII);

    private final Path home;

    private LocalDocumentDb(Path folder, Path home) {
        super("DocumentDB", folder, "client", 0);
        this.home = home;
    }

    /**
     * Starts a server on the folder, which is created if absent, and returns when it accepts connections.
     *
     * @throws LocalServerException when the folder is in use, the programs cannot be had, or the server does not serve in time
     */
    public static LocalDocumentDb start(Path folder) {
        LocalDocumentDb server = new LocalDocumentDb(requireNonNull(folder, "folder"), DebianServer.DOCUMENTDB.home());
        server.begin();
        return server;
    }

    /** The JDBC address, with user. */
    public String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/postgres?user=postgres";
    }

    @Override
    List<String> command() {
        return program(
                "postgres",
                "-D",
                data().toString(),
                "-p",
                Integer.toString(port()),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "max_connections=200",
                "-c",
                "shared_preload_libraries=" + LIBRARIES,
                "-c",
                "cron.database_name=postgres",
                // These are the defaults. They are named because the promises of Waybill depend on them.
                "-c",
                "fsync=on",
                "-c",
                "synchronous_commit=on");
    }

    /** PostgreSQL refuses to start while any process has the id that a killed server has left in this file. */
    @Override
    void beforeLaunch() throws IOException {
        Files.deleteIfExists(data().resolve("postmaster.pid"));
    }

    private Path data() {
        return folder().resolve("data");
    }

    /** Creates the cluster, if there is none. A crash in between leaves no folder {@code data}. */
    @Override
    void prepare() throws IOException {
        if (Files.exists(data())) {
            return;
        }
        Path partial = folder().resolve("data.partial");
        FolderTree.delete(partial);
        run(
                "create the database cluster of DocumentDB",
                new ProcessBuilder(program(
                        "initdb",
                        "-D",
                        partial.toString(),
                        "-U",
                        "postgres",
                        "-A",
                        "trust",
                        "--no-locale",
                        "-E",
                        "UTF8",
                        "--no-sync")));
        // In single-user mode, so that no client is needed. Indexes are built by the commands that create them.
        Path script = Files.writeString(folder().resolve("extension.sql"), """
                create extension documentdb cascade;
                delete from cron.job where command like '%build_index%';
                """);
        run(
                "create the DocumentDB extension",
                new ProcessBuilder(program(
                                "postgres",
                                "--single",
                                "-D",
                                partial.toString(),
                                "-c",
                                "shared_preload_libraries=" + LIBRARIES,
                                "-c",
                                "cron.database_name=postgres",
                                "postgres"))
                        .redirectInput(script.toFile()));
        Files.move(partial, data());
    }

    private void run(String purpose, ProcessBuilder program) throws IOException {
        Command.run(purpose + " on " + folder(), program.directory(folder().toFile()), CREATION_LIMIT, log());
    }

    private List<String> program(String name, String... arguments) {
        return PostgresBinaries.asOrdinaryUser(home.resolve("usr/lib/postgresql/18/bin/" + name), arguments);
    }

    /** A server that starts or recovers refuses the login; one that is ready asks for, or skips, the password. */
    @Override
    boolean serves() throws IOException {
        int length = 2 * Integer.BYTES + LOGIN.length;
        byte[] answer = answer(
                ByteBuffer.allocate(length)
                        .putInt(length)
                        .putInt(PROTOCOL)
                        .put(LOGIN)
                        .array(),
                1);
        return answer.length == 1 && answer[0] == 'R';
    }
}
