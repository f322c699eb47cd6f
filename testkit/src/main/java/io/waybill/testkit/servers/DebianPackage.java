package io.waybill.testkit.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/**
 * A program that only a package of Debian's brings. Tests install it where they may, as root or with sudo that asks for no
 * password; elsewhere they say loudly that they were not run.
 */
public final class DebianPackage {
    private DebianPackage() {}

    /**
     * The program, installed if it is not there. Otherwise the test that asks is aborted.
     *
     * @param program where the package puts it
     */
    public static synchronized Path program(String name, String program) {
        Path path = Path.of(program);
        if (!Files.isExecutable(path) && !install(name, path)) {
            String remedy = name + " is not installed and cannot be. apt-get install " + name;
            System.err.println("NOT RUN: " + remedy);
            throw new TestAbortedException(remedy);
        }
        return path;
    }

    /** Without the lists of a machine that has never asked for any, no package is found; so they are fetched at need. */
    private static boolean install(String name, Path program) {
        return (apt("install", "-y", "--no-install-recommends", name)
                        || (apt("update") && apt("install", "-y", "--no-install-recommends", name)))
                && Files.isExecutable(program);
    }

    private static boolean apt(String... arguments) {
        List<String> command = new ArrayList<>();
        if (!System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("sudo", "-n"));
        }
        // Two test processes may ask at once; and a server that is installed for tests must not be started as a
        // service.
        command.addAll(List.of("env", "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1"));
        command.addAll(List.of("apt-get", "-o", "DPkg::Lock::Timeout=180"));
        command.addAll(List.of(arguments));
        try {
            Process apt = new ProcessBuilder(command)
                    .redirectErrorStream(true)
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
