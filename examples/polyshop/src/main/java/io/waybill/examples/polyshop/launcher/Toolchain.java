package io.waybill.examples.polyshop.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Checks whether Node and Python can run the services that are not written in Java, and names the packages to install otherwise.
 */
public final class Toolchain {
    private static final long LIMIT_SECONDS = 300;
    private static final String MODULES = "import psycopg2, confluent_kafka, jwt, cryptography";

    private Toolchain() {}

    /** Installs the libraries of the service, unless they are there. Returns why it cannot run; empty if it can. */
    public static Optional<String> payment(Path home) {
        Path folder = home.resolve("examples/polyshop/payment");
        if (!Files.exists(folder.resolve("src/main.js"))) {
            return Optional.of("The service payment is missing from " + folder + ".");
        }
        if (!succeeds(folder, "node", "-e", "process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)")) {
            return Optional.of("The service payment needs Node.js 20 or newer. Install the package nodejs.");
        }
        if (Files.isDirectory(folder.resolve("node_modules/pg"))
                && Files.isDirectory(folder.resolve("node_modules/kafkajs"))) {
            return Optional.empty();
        }
        return succeeds(folder, "npm", "ci", "--omit=dev", "--no-audit", "--no-fund")
                ? Optional.empty()
                : Optional.of(
                        "The libraries of the service payment are missing. Install the package npm, and run `npm ci`"
                                + " in examples/polyshop/payment.");
    }

    /** Returns why the service cannot run; empty if it can. */
    public static Optional<String> notification(Path home) {
        if (!Files.exists(home.resolve("examples/polyshop/notification/notification/__main__.py"))) {
            return Optional.of("The service notification is missing.");
        }
        return python().isPresent()
                ? Optional.empty()
                : Optional.of(
                        "The service notification needs Python and four libraries. Install the packages python3-psycopg2"
                                + " python3-confluent-kafka python3-jwt python3-cryptography.");
    }

    /** Returns a Python that has the libraries. Only {@code /usr/bin/python3} sees the packages of Debian. */
    static Optional<String> python() {
        return List.of("python3", "/usr/bin/python3").stream()
                .filter(program -> succeeds(Path.of("."), program, "-c", MODULES))
                .findFirst();
    }

    private static boolean succeeds(Path folder, String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return false;
            }
            return process.exitValue() == 0;
        } catch (IOException e) {
            return false; // there is no such program
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
