package io.waybill.examples.polyshop.foreign;

import io.waybill.testkit.servers.DebianPackage;
import io.waybill.testkit.servers.NotRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What the services in other languages need on this machine. */
public final class Runtimes {
    public static final Path PAYMENT = Path.of("payment").toAbsolutePath();
    public static final Path NOTIFICATION = Path.of("notification").toAbsolutePath();

    /** The interpreter that finds Debian's packages. Another one may come first on the PATH. */
    public static final String PYTHON = "/usr/bin/python3";

    private Runtimes() {}

    /** Aborts the test where Node.js or its packages are missing. Downloads the packages of the payment service if absent. */
    public static synchronized void requireNode() {
        if (!succeeds(PAYMENT, List.of("node", "-e", "process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)"))
                || !succeeds(PAYMENT, List.of("npm", "--version"))) {
            throw NotRun.because(
                    "Node.js 20 or newer, with npm, is not installed. Install the packages nodejs and npm.");
        }
        // The launcher installs the packages without ajv, which only the tests need.
        boolean installed = Files.isDirectory(PAYMENT.resolve("node_modules/kafkajs"))
                && Files.isDirectory(PAYMENT.resolve("node_modules/ajv-formats"));
        if (!installed && !succeeds(PAYMENT, List.of("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"))) {
            throw NotRun.because(
                    "the packages of the payment service cannot be downloaded. Run: npm ci, in " + PAYMENT);
        }
    }

    /** Aborts the test where Python or its libraries are missing and cannot be installed. */
    public static synchronized void requirePython() {
        DebianPackage.require(
                List.of(
                        "python3",
                        "python3-psycopg2",
                        "python3-confluent-kafka",
                        "python3-jwt",
                        "python3-cryptography",
                        "python3-jsonschema"),
                "sh",
                "-c",
                PYTHON + " -c 'import psycopg2, confluent_kafka, jwt, cryptography, jsonschema'");
    }

    /** The address of a database as Node.js and Python expect it. */
    public static String databaseUrl(String jdbcUrl) {
        return jdbcUrl.replaceFirst("^jdbc:postgresql://([^?]+)\\?user=(\\w+).*", "postgresql://$2@$1");
    }

    private static boolean succeeds(Path folder, List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(Map.of("NO_UPDATE_NOTIFIER", "1"));
        try {
            Process process = builder.start();
            return process.waitFor(5, TimeUnit.MINUTES) && process.exitValue() == 0;
        } catch (IOException missing) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
