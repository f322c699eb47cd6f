package io.waybill.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.random.Draw;
import io.waybill.random.RandomCases;
import io.waybill.server.problem.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationPropertyTest {
    private static final long HUNDRED_YEARS = 3_153_600_000_000L;

    @TempDir
    private Path folder = Path.of(".");

    /** Settings whose values can be told apart, each with a number of workers or the like. */
    private static Map<String, Integer> layer(Draw draw) {
        return draw.map(
                3, () -> draw.of("relay.workers", "relay.batch-size", "database.pool-size"), () -> draw.integer(2, 64));
    }

    @Test
    void flagsBeforeEnvironmentBeforeFileBeforeDefaults() {
        RandomCases.check(200, draw -> {
            Map<String, Integer> file = layer(draw);
            Map<String, Integer> environment = layer(draw);
            Map<String, Integer> flags = layer(draw);
            Map<String, Integer> expected = new HashMap<>(Map.of(
                    "relay.workers",
                            Settings.RELAY_WORKERS.parse().apply(String.valueOf(Settings.RELAY_WORKERS.defaultValue())),
                    "relay.batch-size",
                            Settings.RELAY_BATCH_SIZE
                                    .parse()
                                    .apply(String.valueOf(Settings.RELAY_BATCH_SIZE.defaultValue())),
                    "database.pool-size", 12));
            expected.putAll(file);
            expected.putAll(environment);
            expected.putAll(flags);

            Configuration read = read(
                    yaml(file),
                    environment.entrySet().stream()
                            .collect(Collectors.toMap(
                                    entry -> Setting.environmentName(entry.getKey()),
                                    entry -> entry.getValue().toString())),
                    flags.entrySet().stream()
                            .collect(Collectors.toMap(
                                    Map.Entry::getKey, entry -> entry.getValue().toString())));

            assertThat(read.get(Settings.RELAY_WORKERS)).isEqualTo(expected.get("relay.workers"));
            assertThat(read.get(Settings.RELAY_BATCH_SIZE)).isEqualTo(expected.get("relay.batch-size"));
            assertThat(read.get(Settings.DATABASE_POOL_SIZE)).isEqualTo(expected.get("database.pool-size"));
        });
    }

    private static String yaml(Map<String, Integer> settings) {
        return settings.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue() + "\n")
                .collect(Collectors.joining());
    }

    private Configuration read(String yaml, Map<String, String> environment, Map<String, String> flags)
            throws IOException {
        Path file = Files.writeString(folder.resolve("some.yaml"), yaml);
        return Configuration.read(flags, List.of(), file, environment, folder);
    }

    @Test
    void aMisspeltKeyIsRefusedAndTheRightOneNamed() {
        List<String> keys = Settings.all().stream().map(Setting::key).toList();
        RandomCases.check(300, draw -> {
            String wrong = draw.suchThat(
                    text -> !keys.contains(text)
                            && !text.startsWith(Settings.BROKER_SETTINGS + ".")
                            && !text.startsWith(".")
                            && !text.endsWith(".")
                            && !text.contains(".."),
                    () -> misspelt(draw, keys.get(draw.integer(0, keys.size() - 1))));

            assertThatThrownBy(() -> read("? " + wrong + "\n: 1\n", Map.of(), Map.of()))
                    .isInstanceOf(Problem.class)
                    .hasMessageContaining("Unknown setting '" + wrong + "'")
                    .hasMessageMatching("(?s).*(Did you mean|It is a section).*");
            assertThatThrownBy(() -> read("", Map.of(Setting.environmentName(wrong), "1"), Map.of()))
                    .isInstanceOf(Problem.class)
                    .hasMessageContaining("Did you mean");
        });
    }

    private static String misspelt(Draw draw, String key) {
        int at = draw.integer(0, key.length() - 1);
        return switch (draw.integer(0, 2)) {
            case 0 -> key.substring(0, at) + key.substring(at + 1);
            case 1 -> key.substring(0, at) + "x" + key.substring(at + 1);
            default -> key.substring(0, at) + key.charAt(at) + key.substring(at);
        };
    }

    @Test
    void anyFileIsReadOrRefusedWithItsName() {
        RandomCases.check(300, draw -> {
            String text = draw.unicode(255);
            try {
                assertThat(read(text, Map.of(), Map.of())).isNotNull();
            } catch (Problem problem) {
                assertThat(problem).hasMessageContaining("some.yaml");
            }
        });
    }

    @Test
    void aDurationIsReadAsItIsPrinted() {
        RandomCases.check(500, draw -> {
            long millis = draw.number(0, HUNDRED_YEARS);
            Duration duration = Duration.ofMillis(millis);
            assertThat(Durations.parse(Durations.print(duration))).isEqualTo(duration);
            assertThat(Durations.parse(duration.toString())).isEqualTo(duration);
        });
    }

    @Test
    void aSizeIsReadAsItIsPrinted() {
        RandomCases.check(500, draw -> {
            int bytes = draw.integer(1, Integer.MAX_VALUE);
            assertThat(Sizes.parse(Sizes.print(bytes))).isEqualTo(bytes);
        });
    }

    private static String amounts(Draw draw) {
        return draw.from(
                () -> digits(draw) + units(draw),
                () -> "PT" + digits(draw) + units(draw),
                () -> draw.textOf("0123456789msdhPTkMiB.-+_ ", 20),
                () -> draw.unicode(255));
    }

    private static String digits(Draw draw) {
        return draw.textOf("0123456789", 15) + draw.integer(0, 9);
    }

    private static String units(Draw draw) {
        return draw.of("ms", "s", "m", "h", "d", " s", "", "kB", "MiB", "b");
    }

    /** Whatever is accepted can be counted in nanoseconds, as relays do. */
    @Test
    void anyTextIsADurationOrRefused() {
        RandomCases.check(1_000, draw -> {
            String text = amounts(draw);
            try {
                assertThat(Durations.parse(text).toNanos()).isNotNegative();
            } catch (IllegalArgumentException refused) {
                assertThat(refused).isNotNull();
            }
        });
    }

    @Test
    void anyTextIsASizeOrRefused() {
        RandomCases.check(1_000, draw -> {
            String text = amounts(draw);
            try {
                assertThat(Sizes.parse(text)).isPositive();
            } catch (IllegalArgumentException refused) {
                assertThat(refused).isNotNull();
            }
        });
    }
}
