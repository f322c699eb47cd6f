package io.waybill.random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class RandomCasesTest {
    private static final Pattern COMMAND =
            Pattern.compile("repeat: \\./waybill test RandomCasesTest\\$Failing#main (-Dwaybill\\.seed=(-?\\d+))\\R");

    @Test
    void everyCaseIsAnotherOne() {
        Set<Long> seen = new HashSet<>();
        RandomCases.check(300, draw -> seen.add(draw.suchThat(n -> n > 9, () -> draw.number(0, Long.MAX_VALUE - 2))));
        assertThat(seen).hasSizeGreaterThan(200);
    }

    /** A JVM checks a property that fails; a second JVM gets the option that the first has printed. */
    @Test
    void thePrintedCommandRepeatsTheCaseThatFailed() throws Exception {
        String first = run(List.of());
        Matcher command = COMMAND.matcher(first);
        assertThat(command.find()).as(first).isTrue();
        assertThat(first).contains("The case with seed " + command.group(2) + " failed.", "drawn:  ", "longer than 9");

        String second = run(List.of(command.group(1)));
        assertThat(second.lines().filter(line -> line.startsWith("case:"))).hasSize(1);
        assertThat(second.lines().filter(line -> line.startsWith("case:")).toList())
                .isEqualTo(first.lines().filter(line -> line.startsWith("case:")).reduce((a, b) -> b).stream()
                        .toList());
        assertThat(reports(second)).isEqualTo(reports(first)).hasSize(3);
    }

    private static List<String> reports(String output) {
        return output.lines()
                .filter(line ->
                        line.contains("The case with") || line.startsWith("  drawn:") || line.startsWith("  repeat:"))
                .toList();
    }

    private static String run(List<String> options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Failing.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(1);
        return output;
    }

    /** Fails for about one case in three. */
    static final class Failing {
        private Failing() {}

        public static void main(String[] args) {
            RandomCases.check(1_000, draw -> {
                String text = draw.text(14);
                List<Integer> numbers = draw.list(5, () -> draw.integer(-5, 1_000));
                System.out.println(
                        "case: " + Arrays.toString(text.toCharArray()).hashCode() + " " + numbers);
                if (text.length() > 9) {
                    throw new IllegalStateException("longer than 9");
                }
            });
        }
    }

    @Test
    void limitsAreIncludedAndDrawnOften() {
        Set<Integer> seen = new HashSet<>();
        RandomCases.check(3_000, draw -> {
            int number = draw.integer(-1_000_000, 1_000_000);
            assertThat(number).isBetween(-1_000_000, 1_000_000);
            seen.add(number);
        });
        assertThat(seen).contains(-1_000_000, 1_000_000, 0);
    }

    @Test
    void everyValueKeepsItsLimits() {
        Set<Boolean> signs = new HashSet<>();
        RandomCases.check(500, draw -> {
            signs.add(draw.number(Long.MIN_VALUE, Long.MAX_VALUE) < 0);
            assertThat(draw.number(5, 5)).isEqualTo(5);
            assertThat(draw.number(Long.MAX_VALUE - 1, Long.MAX_VALUE)).isGreaterThanOrEqualTo(Long.MAX_VALUE - 1);
            assertThat(draw.number(Long.MIN_VALUE, Long.MIN_VALUE + 1)).isLessThanOrEqualTo(Long.MIN_VALUE + 1);
            assertThat(draw.bytes(3)).hasSizeLessThanOrEqualTo(3);
            assertThat(draw.text(3)).hasSizeLessThanOrEqualTo(3);
            assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(draw.unicode(30)))
                    .isTrue();
        });
        assertThat(signs).containsExactlyInAnyOrder(true, false);
    }

    @Test
    void aConditionThatNoValueMeetsFails() {
        assertThatThrownBy(() -> RandomCases.check(1, draw -> draw.suchThat(n -> n > 3, () -> draw.integer(0, 3))))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("None of 10000 values");
    }
}
