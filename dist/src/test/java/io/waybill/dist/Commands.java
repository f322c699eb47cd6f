package io.waybill.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Commands that a user types. */
final class Commands {
    private Commands() {}

    /** Returns the output of a command that succeeds. */
    static String run(Path workingFolder, String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(workingFolder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
