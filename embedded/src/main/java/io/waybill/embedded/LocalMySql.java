package io.waybill.embedded;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A real MySQL 9 on 127.0.0.1 whose commits are durable. The user is {@code root} and needs no password. The server ends
 * when this JVM does, also when this JVM is killed.
 *
 * <p>It is {@link DebianServer#MYSQL}: the first start on a machine downloads about 60 MB.
 */
public final class LocalMySql extends InstalledServer {
    private static final Duration CREATION_LIMIT = Duration.ofMinutes(2);

    private final Path home;

    private LocalMySql(Path folder, Path home) {
        super("MySQL", folder, "client", 0);
        this.home = home;
    }

    /** The JDBC drivers that can connect to MySQL. */
    public enum Driver {
        /** MySQL's own. */
        CONNECTOR_J("jdbc:mysql:", "sslMode=DISABLED&allowPublicKeyRetrieval=true"),
        /** MariaDB's driver, which speaks the same protocol. */
        MARIADB("jdbc:mariadb:", "sslMode=disable&allowPublicKeyRetrieval=true");

        private final String scheme;
        private final String options;

        Driver(String scheme, String options) {
            this.scheme = scheme;
            this.options = options;
        }
    }

    /**
     * Starts a server on the folder, which is created if absent, and returns when it accepts connections.
     *
     * @throws LocalServerException when the folder is in use, MySQL cannot be had, or the server does not serve in time
     */
    public static LocalMySql start(Path folder) {
        LocalMySql server = new LocalMySql(requireNonNull(folder, "folder"), DebianServer.MYSQL.home());
        server.begin();
        return server;
    }

    /** The JDBC address, with user, of a database on this server. */
    public String jdbcUrl(Driver driver, String database) {
        return driver.scheme + "//127.0.0.1:" + port() + "/" + database + "?user=root&" + driver.options;
    }

    @Override
    List<String> command() {
        List<String> command = mysqld(data());
        command.addAll(List.of(
                "--port=" + port(),
                "--bind-address=127.0.0.1",
                "--socket=" + folder().resolve("socket"),
                "--pid-file=" + folder().resolve("mysqld.pid"),
                "--skip-name-resolve",
                "--max-connections=300",
                // These are the defaults. They are named because the promises of Waybill depend on them.
                "--innodb-flush-log-at-trx-commit=1",
                "--innodb-doublewrite=ON",
                "--sync-binlog=1"));
        return command;
    }

    /** A killed server leaves its socket's lock file. MySQL refuses to start while any process has the id that the file names. */
    @Override
    void beforeLaunch() throws IOException {
        Files.deleteIfExists(folder().resolve("socket.lock"));
    }

    private Path data() {
        return folder().resolve("data");
    }

    /** Creates the system tables, if there are none. A crash in between leaves no folder {@code data}. */
    @Override
    void prepare() throws IOException {
        if (Files.exists(data())) {
            return;
        }
        Path partial = folder().resolve("data.partial");
        FolderTree.delete(partial);
        Path users = folder().resolve("users.sql");
        Files.writeString(
                users,
                // Without name resolution a client is 127.0.0.1 and not localhost.
                "CREATE USER root@'127.0.0.1';\nGRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;\n");
        List<String> command = mysqld(partial);
        command.addAll(List.of("--initialize-insecure", "--init-file=" + users));
        Command.run(
                "create the system tables of MySQL on " + folder(),
                new ProcessBuilder(command).directory(folder().toFile()),
                CREATION_LIMIT,
                log());
        Files.move(partial, data());
    }

    private List<String> mysqld(Path data) {
        List<String> command = new ArrayList<>(List.of(
                home.resolve("usr/sbin/mysqld").toString(),
                "--no-defaults",
                "--datadir=" + data,
                "--lc-messages-dir=" + home.resolve("usr/share/mysql"),
                "--character-sets-dir=" + home.resolve("usr/share/mysql/charsets"),
                "--plugin-dir=" + home.resolve("usr/lib/mysql/plugin"),
                "--secure-file-priv=",
                "--mysqlx=OFF",
                "--auto-generate-certs=OFF"));
        if (System.getProperty("user.name").equals("root")) {
            command.add("--user=root"); // MySQL refuses to run as root unless root is named
        }
        return command;
    }

    /** The port opens before the server is ready; a server that is ready sends the first packet. */
    @Override
    boolean serves() throws IOException {
        return answer(new byte[0], 1).length == 1;
    }
}
