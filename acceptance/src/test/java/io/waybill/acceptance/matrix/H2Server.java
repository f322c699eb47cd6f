package io.waybill.acceptance.matrix;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.h2.tools.Server;

/** An H2 server for this JVM, so that several processes can share a database file. */
final class H2Server {
    private static final Server SERVER = start();

    private H2Server() {}

    /** Returns the address of a database, which is created at first use. */
    static String jdbcUrl(String name) {
        return "jdbc:h2:tcp://127.0.0.1:" + SERVER.getPort() + "/./" + name;
    }

    private static Server start() {
        try {
            Path folder = Files.createTempDirectory("waybill-h2-");
            Server server = Server.createTcpServer(
                    "-tcpPort", "0", "-tcpDaemon", "-ifNotExists", "-baseDir", folder.toString());
            server.start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server, folder), "h2-server"));
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot create a folder for H2; make java.io.tmpdir writable", e);
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot start H2 as a server", e);
        }
    }

    private static void end(Server server, Path folder) {
        server.stop();
        org.h2.store.fs.FileUtils.deleteRecursive(folder.toString(), true);
    }
}
