package io.waybill.testkit.servers;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A server that no Maven artifact brings along. */
public final class DebianPackage {
    private static final Set<String> REFUSED = ConcurrentHashMap.newKeySet();

    private DebianPackage() {}

    /** Installs the package where that is allowed; elsewhere says loudly that the tests which need it were not run. */
    public static synchronized void require(String name, Path program) {
        if (Files.isExecutable(program)) {
            return;
        }
        if (REFUSED.contains(name) || !install(name) || !Files.isExecutable(program)) {
            REFUSED.add(name);
            System.err.println("NOT RUN: " + name + " is not installed and cannot be. apt-get install " + name);
            abort(name + " is not installed and cannot be");
        }
    }

    private static boolean install(String name) {
        return apt("install", "-y", "--no-install-recommends", name)
                || (apt("update") && apt("install", "-y", "--no-install-recommends", name));
    }

    private static boolean apt(String... arguments) {
        List<String> command = new ArrayList<>();
        if (!System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("sudo", "-n"));
        }
        // Whatever a package would start by itself: only the tests' own servers are wanted.
        command.addAll(List.of("env", "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1", "apt-get", "-q"));
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
