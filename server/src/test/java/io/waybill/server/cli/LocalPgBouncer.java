package io.waybill.server.cli;

import io.waybill.testkit.servers.DebianPackage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Debian's PgBouncer in transaction mode, with two server connections for all clients. */
final class LocalPgBouncer implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");

    private final Process process;
    private final int port;

    private LocalPgBouncer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Installs it where that is allowed; otherwise reports that the test was not run. */
    static LocalPgBouncer before(int serverPort, String user, Path folder) throws IOException {
        DebianPackage.require("pgbouncer", PROGRAM);
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        // As root, it switches to another user, who must be able to read these files.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path users = Files.writeString(folder.resolve("users.txt"), "\"" + user + "\" \"\"\n");
        Path config = Files.writeString(folder.resolve("pgbouncer.ini"), """
                [databases]
                * = host=127.0.0.1 port=%d
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = trust
                auth_file = %s
                pool_mode = transaction
                default_pool_size = 2
                ignore_startup_parameters = extra_float_digits
                """.formatted(serverPort, port, users));
        List<String> command = new ArrayList<>(List.of(PROGRAM.toString()));
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(config.toString());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("pgbouncer.log").toFile())
                .start();
        return new LocalPgBouncer(process, port);
    }

    int port() {
        return port;
    }

    boolean running() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static String log(Path folder) {
        try {
            return Files.readString(folder.resolve("pgbouncer.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
