package io.waybill.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Programs of a Debian suite, which may be newer or older than the machine's own, unpacked into the
 * {@link ProgramCache} and not installed. This needs Debian's tools and once the network, but neither root nor a
 * container.
 *
 * <p>The newest version of the package is taken at the first use and stays until its folder is deleted; the file
 * {@code packages.sha256} in the folder says which one it is.
 */
final class DebianPrograms {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    /** Reasons of failed attempts: tests that need the same package do not each wait for the network. */
    private static final Map<String, String> FAILURES = new ConcurrentHashMap<>();

    private final Path home;

    private DebianPrograms(Path home) {
        this.home = home;
    }

    /**
     * Unpacks paths of a package, which are relative to the root folder and may be directories or patterns, with the
     * libraries that their programs load.
     *
     * @throws LocalServerException when the package cannot be downloaded and unpacked on this machine
     */
    static DebianPrograms unpacked(String suite, String packageName, List<String> paths) {
        String name = packageName + "-" + suite;
        String failure = FAILURES.get(name);
        if (failure == null) {
            try {
                return new DebianPrograms(
                        ProgramCache.folder(name, folder -> unpack(folder, suite, packageName, paths)));
            } catch (IOException | LocalServerException e) {
                failure = "Cannot download and unpack package " + packageName + " of Debian " + suite + ": "
                        + e.getMessage();
                if (!Thread.currentThread().isInterrupted()) {
                    FAILURES.put(name, failure);
                }
            }
        }
        throw new LocalServerException(failure);
    }

    /** The folder that stands for the root folder of the package. */
    Path home() {
        return home;
    }

    /**
     * The command line that runs a program. The packages' own loader starts it, with their libraries, because the
     * machine's C library may be older than the program needs.
     */
    List<String> command(String program, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                home.resolve("lib/ld.so").toString(),
                "--library-path",
                home.resolve("lib").toString(),
                home.resolve(program).toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    private static void unpack(Path folder, String suite, String packageName, List<String> paths) throws IOException {
        Path log = Files.createTempFile("waybill-debian-", ".log");
        try {
            Path script = folder.resolve("debian.sh");
            try (InputStream in = DebianPrograms.class.getResourceAsStream("debian.sh")) {
                if (in == null) {
                    throw new IllegalStateException("debian.sh is missing beside the class DebianPrograms");
                }
                Files.copy(in, script, StandardCopyOption.REPLACE_EXISTING);
            }
            List<String> command =
                    new ArrayList<>(List.of("sh", script.toString(), folder.toString(), suite, packageName));
            command.addAll(paths);
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            await(process, log);
        } finally {
            Files.delete(log);
        }
    }

    private static void await(Process process, Path log) {
        try {
            if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new LocalServerException("apt-get did not end within " + LIMIT.toMinutes() + " minutes.");
            }
            if (process.exitValue() != 0) {
                throw new LocalServerException("It needs Debian's apt-get and its package archive. " + LogTail.of(log));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalServerException("Interrupted while unpacking.", e);
        } finally {
            new ServerProcess(process.toHandle()).kill();
        }
    }
}
