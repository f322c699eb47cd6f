package io.waybill.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong options are reported in plain words before any server is started. */
class ChaosInputTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    --faults relay-kil        | Did you mean 'relay-kill'?
                    --faults relay-kill,xyzzy | There is no fault 'xyzzy'. './waybill chaos faults' lists them.
                    --relays 9                | --relays must be between 1 and 3, not 9.
                    --writers 0               | --writers must be between 1 and 8, not 0.
                    --keys -1                 | --keys must be between 1 and 10000, not -1.
                    --engine jurnal           | Did you mean 'journal'?
                    --minutes 1 --seconds 90  | Give --minutes or --seconds, not both.
                    --seconds 3               | --seconds must be between 10
                    --seed abc                | 'abc' is not a long
                    --sed 3                   | --sed
                    fault                     | fault
                    """)
    void wrongInputIsExplained(String arguments, String message) {
        PrintStream before = System.err;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        System.setErr(new PrintStream(output, true, StandardCharsets.UTF_8));
        try {
            assertThat(Chaos.run(arguments.split(" +"))).isEqualTo(2);
        } finally {
            System.setErr(before);
        }
        assertThat(output.toString(StandardCharsets.UTF_8)).contains(message).doesNotContain("\tat ");
    }

    @Test
    void helpAndTheListOfFaultsSucceed() {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try {
            assertThat(Chaos.run("--help")).isZero();
            assertThat(Chaos.run("faults")).isZero();
        } finally {
            System.setOut(before);
        }
        assertThat(output.toString(StandardCharsets.UTF_8))
                .contains("--minutes", "relay-kill", "database-link-lost-answers");
    }
}
