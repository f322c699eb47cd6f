package io.waybill.testkit.servers;

import io.waybill.embedded.FolderTree;
import io.waybill.embedded.LocalMariaDb;
import io.waybill.embedded.LocalPostgres;
import io.waybill.embedded.LocalServer;
import io.waybill.embedded.LocalServerException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The temporary folder of this JVM's shared servers, deleted when the JVM exits. A test JVM that is killed leaves its folder
 * and may leave a database running; the next JVM cleans up both. The folder's name contains the owner's process id for
 * this purpose.
 */
final class ServersFolder {

    private static final String PREFIX = "waybill-servers-";
    private static final List<LocalServer> SERVERS = new CopyOnWriteArrayList<>();
    private static final Path FOLDER = create();

    private ServersFolder() {}

    static Path subfolder(String name) {
        return FOLDER.resolve(name);
    }

    static void closeAtExit(LocalServer server) {
        SERVERS.add(server);
    }

    private static Path create() {
        try {
            Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
            clearLeftovers(temporary);
            Path folder = Files.createTempDirectory(
                    temporary, PREFIX + ProcessHandle.current().pid() + "-");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> closeAll(folder), "shared-servers"));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot create a folder for the test servers; make java.io.tmpdir writable", e);
        }
    }

    private static void closeAll(Path folder) {
        SERVERS.forEach(LocalServer::discard); // an orderly stop would flush databases that are deleted next
        try {
            FolderTree.delete(folder);
        } catch (IOException leftForTheNextJvm) {
            // clearLeftovers tries again
        }
    }

    static void clearLeftovers(Path temporary) throws IOException {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, PREFIX + "*")) {
            for (Path folder : folders) {
                if (!ownerLives(folder)) {
                    clear(folder);
                }
            }
        }
    }

    private static void clear(Path folder) {
        try {
            Path postgres = folder.resolve("postgres");
            if (Files.exists(postgres.resolve("data"))) {
                LocalPostgres.start(postgres).discard(); // a start ends a server that a dead JVM left on the folder
            }
            Path mariaDb = folder.resolve("mariadb");
            if (Files.exists(mariaDb.resolve("data"))) {
                LocalMariaDb.start(mariaDb).discard();
            }
            FolderTree.delete(folder);
        } catch (LocalServerException | IOException inUseOrForeign) {
            // Another JVM is deleting the folder now, or the folder belongs to another user.
        }
    }

    private static boolean ownerLives(Path folder) {
        String name = folder.getFileName().toString().substring(PREFIX.length());
        String pid = name.substring(0, Math.max(0, name.indexOf('-')));
        return !pid.matches("[0-9]{1,18}")
                || ProcessHandle.of(Long.parseLong(pid)).isPresent();
    }
}
