package io.waybill.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The files of one MariaDB server: {@code data}, {@code server.log} and the id of the process that was started last. */
final class MariaDbFolder {
    private static final int GREETING_MILLIS = 2_000;
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private final Path folder;
    private final Path data;
    private final Path log;
    private final Path pidFile;
    private final MariaDbBinaries binaries;

    MariaDbFolder(Path folder, MariaDbBinaries binaries) {
        this.folder = folder;
        this.data = folder.resolve("data");
        this.log = folder.resolve("server.log");
        this.pidFile = folder.resolve("server.pid");
        this.binaries = binaries;
    }

    /** Ends a server that a dead JVM left on this folder. Only the holder of the folder's lock may call this. */
    void endOrphan() throws IOException {
        if (Files.exists(pidFile)) {
            String recorded = Files.readString(pidFile).strip();
            if (recorded.matches("[0-9]{1,18}")) {
                ServerProcess.find(Long.parseLong(recorded))
                        .filter(process -> process.arguments().contains("--datadir=" + data))
                        .ifPresent(ServerProcess::kill);
            }
        }
    }

    /** Creates the system's tables if there are none. */
    void initialize() throws IOException {
        Path done = folder.resolve("initialized");
        if (Files.exists(done)) {
            return;
        }
        Process install = start(binaries.install(data, asUser()));
        try {
            if (!install.waitFor(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS) || install.exitValue() != 0) {
                install.destroyForcibly();
                throw new LocalServerException(
                        "Could not create MariaDB's own tables on folder " + folder + ". " + LogTail.of(log));
            }
        } catch (InterruptedException e) {
            install.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new LocalServerException("Interrupted while creating MariaDB's own tables.", e);
        }
        Files.createFile(done);
    }

    /** Starts the server and returns when it accepts connections. */
    ServerProcess launch(int port) throws IOException {
        List<String> command = new ArrayList<>(binaries.server());
        command.addAll(asUser());
        command.addAll(List.of(
                "--datadir=" + data,
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=" + folder.resolve("socket"),
                "--skip-name-resolve",
                "--skip-ssl", // at each start it would make a key, for seconds
                "--max-connections=300",
                // Named although they are the defaults: the promises of Waybill rest on them.
                "--innodb-flush-log-at-trx-commit=1",
                "--innodb-doublewrite=1"));
        Process process = start(command);
        Files.writeString(pidFile, Long.toString(process.pid()));
        ServerProcess server = new ServerProcess(process.toHandle());
        long end = System.nanoTime() + START_LIMIT.toNanos();
        while (!greets(port)) {
            if (!process.isAlive() || System.nanoTime() > end) {
                server.kill();
                throw new LocalServerException("MariaDB on " + folder + " did not come up. " + LogTail.of(log));
            }
            ServerProcess.pause("waiting for MariaDB to listen");
        }
        return server;
    }

    /** The server listens long before it is ready; then it speaks first. */
    private static boolean greets(int port) {
        try (Socket client = new Socket()) {
            client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), GREETING_MILLIS);
            client.setSoTimeout(GREETING_MILLIS);
            return client.getInputStream().read() >= 0;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** The server does not run as root unless told to. */
    private static List<String> asUser() {
        return System.getProperty("user.name").equals("root") ? List.of("--user=root") : List.of();
    }

    private Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }
}
