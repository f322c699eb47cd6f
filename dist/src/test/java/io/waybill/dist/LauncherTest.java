package io.waybill.dist;

import static io.waybill.dist.Commands.run;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ./waybill} in a clone builds each program before it runs it, without the tests. */
class LauncherTest {
    private static final Path CLONE = Path.of("..").toAbsolutePath().normalize();

    @ParameterizedTest
    @ValueSource(strings = {"up --help", "chaos --help", "bench --help", "example quality --help"})
    void eachProgramBuildsAndPrintsItsHelp(String arguments) throws IOException, InterruptedException {
        assertThat(run(CLONE, "bash", "-c", "./waybill " + arguments)).contains("Usage: ");
    }
}
