package io.waybill.testkit.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a goal of Maven's dependency plugin, which downloads artifacts that the local repository lacks. */
final class MavenCommand {
    private MavenCommand() {}

    /** @throws IOException when Maven is missing, fails or takes longer than five minutes */
    static void run(Path folder, String goal, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "mvn", "--batch-mode", "--quiet", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:" + goal));
        command.addAll(List.of(arguments));
        Process maven = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!maven.waitFor(5, TimeUnit.MINUTES) || maven.exitValue() != 0) {
                throw new IOException("mvn failed or took too long");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while mvn runs", e);
        } finally {
            maven.destroyForcibly();
        }
    }
}
