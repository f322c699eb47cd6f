package io.waybill.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every fault of a test that freezes a server relies on the server doing nothing more from then on. */
@Timeout(240)
final class ServerProcessTest {
    private Process busy;

    @BeforeEach
    void startAProgramWithBusyThreads() throws IOException {
        busy = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        BusyProgram.class.getName())
                .start();
        assertThat(busy.inputReader().readLine()).isEqualTo("busy");
    }

    @AfterEach
    void endIt() {
        busy.destroyForcibly();
    }

    @Test
    void noThreadOfASuspendedProcessRuns() throws IOException {
        ServerProcess process = ServerProcess.find(busy.pid()).orElseThrow();
        for (int n = 0; n < 30; n++) {
            process.suspend();
            assertThat(states()).isNotEmpty().containsOnly('T');
            process.resume();
        }
    }

    private List<Character> states() throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(busy.pid()), "task"))) {
            return threads.map(ServerProcessTest::state).toList();
        }
    }

    private static char state(Path thread) {
        try {
            String line = Files.readString(thread.resolve("stat"));
            return line.charAt(line.lastIndexOf(')') + 2);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
