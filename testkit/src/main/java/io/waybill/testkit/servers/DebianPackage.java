package io.waybill.testkit.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A program of a Debian package. Tests install the package if they run as root or if sudo needs no password. Otherwise the
 * tests are aborted and reported as {@link NotRun}.
 */
public final class DebianPackage {
    private static final Set<String> REFUSED = ConcurrentHashMap.newKeySet();

    private DebianPackage() {}

    /** Returns the program, after installing its package if absent. Aborts the test if that is impossible. */
    public static synchronized Path require(String name, Path program) {
        if (!installed(name, program)) {
            throw notRun(name);
        }
        return program;
    }

    /** Whether the package is installed, after an attempt to install it if absent. For packages that only some tests of a class need. */
    public static synchronized boolean installed(String name, Path program) {
        if (!Files.isExecutable(program) && !REFUSED.contains(name) && !install(name, program)) {
            REFUSED.add(name);
        }
        return Files.isExecutable(program);
    }

    /**
     * Installs packages that have no program of their own, unless the command, which needs them, succeeds already. Aborts the test if
     * the command then still fails.
     */
    public static synchronized void require(List<String> packages, String... command) {
        String names = String.join(" ", packages);
        if (run(new ProcessBuilder(command))) {
            return;
        }
        if (REFUSED.contains(names) || !install(packages) || !run(new ProcessBuilder(command))) {
            throw notRun(names);
        }
    }

    /** Aborts the test; declared to return, so that callers can throw it. */
    private static IllegalStateException notRun(String name) {
        REFUSED.add(name);
        return NotRun.because(
                name + " is not installed and cannot be installed by this user. Run: apt-get install " + name);
    }

    /**
     * Returns a program of a package that is unpacked into a folder and not installed; for packages whose installation starts
     * a server.
     *
     * @param program its path in the package, such as {@code usr/bin/promtool}
     */
    public static synchronized Path unpack(String name, Path folder, String program) {
        Path installed = Path.of("/").resolve(program);
        Path unpacked = folder.toAbsolutePath().resolve(program);
        if (Files.isExecutable(installed)) {
            return installed;
        }
        if (!Files.isExecutable(unpacked)
                && (REFUSED.contains(name)
                        || !(download(name, folder) || (apt("update") && download(name, folder)))
                        || !Files.isExecutable(unpacked))) {
            throw notRun(name);
        }
        return unpacked;
    }

    private static boolean download(String name, Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot create " + folder + " for package " + name, e);
        }
        return run(new ProcessBuilder("sh", "-c", "apt-get -q download \"$0\" && dpkg -x \"$0\"_*.deb .", name)
                .directory(folder.toFile()));
    }

    /** A new machine may have no package lists, and then apt finds no package. So a failure updates them and retries. */
    private static boolean install(String name, Path program) {
        return install(List.of(name)) && Files.isExecutable(program);
    }

    private static boolean install(List<String> packages) {
        List<String> arguments = new ArrayList<>(List.of("install", "-y", "--no-install-recommends"));
        arguments.addAll(packages);
        String[] install = arguments.toArray(String[]::new);
        return apt(install) || (apt("update") && apt(install));
    }

    private static boolean apt(String... arguments) {
        List<String> command = new ArrayList<>();
        if (!System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("sudo", "-n"));
        }
        // Two test processes may install at once, so apt waits for its lock. RUNLEVEL=1 keeps apt from starting the
        // server as a service.
        command.addAll(List.of("env", "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1"));
        command.addAll(List.of("apt-get", "-q", "-o", "DPkg::Lock::Timeout=180"));
        command.addAll(List.of(arguments));
        return run(new ProcessBuilder(command));
    }

    private static boolean run(ProcessBuilder command) {
        try {
            Process apt = command.redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return apt.waitFor(5, TimeUnit.MINUTES) && apt.exitValue() == 0;
        } catch (IOException noApt) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
