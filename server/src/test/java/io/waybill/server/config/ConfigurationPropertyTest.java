package io.waybill.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.server.problem.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

class ConfigurationPropertyTest {
    private static final long HUNDRED_YEARS = 3_153_600_000_000L;
    private static Path folder = Path.of(".");

    @BeforeContainer
    static void createFolder() throws IOException {
        folder = Files.createTempDirectory("waybill-configuration");
    }

    @AfterContainer
    static void removeFolder() throws IOException {
        Files.deleteIfExists(folder.resolve("some.yaml"));
        Files.deleteIfExists(folder);
    }

    /** Settings with distinguishable values, such as a number of workers. */
    @Provide
    static Arbitrary<Map<String, Integer>> layer() {
        Arbitrary<String> keys = Arbitraries.of("relay.workers", "relay.batch-size", "database.pool-size");
        return Arbitraries.maps(keys, Arbitraries.integers().between(2, 64)).ofMaxSize(3);
    }

    @Property(tries = 200)
    void flagsOverrideEnvironmentFileAndDefaultsForAllValues(
            @ForAll("layer") Map<String, Integer> file,
            @ForAll("layer") Map<String, Integer> environment,
            @ForAll("layer") Map<String, Integer> flags)
            throws IOException {
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
    }

    private static String yaml(Map<String, Integer> settings) {
        return settings.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue() + "\n")
                .collect(Collectors.joining());
    }

    private static Configuration read(String yaml, Map<String, String> environment, Map<String, String> flags)
            throws IOException {
        Path file = Files.writeString(folder.resolve("some.yaml"), yaml);
        return Configuration.read(flags, List.of(), file, environment, folder);
    }

    @Property(tries = 300)
    void aMisspelledKeyIsRejectedWithASuggestion(
            @ForAll @IntRange(min = 0, max = 1_000) int which,
            @ForAll @IntRange(min = 0, max = 1_000) int place,
            @ForAll @IntRange(min = 0, max = 2) int mistake) {
        List<String> keys = Settings.all().stream().map(Setting::key).toList();
        String key = keys.get(which % keys.size());
        int at = place % key.length();
        String wrong = switch (mistake) {
            case 0 -> key.substring(0, at) + key.substring(at + 1);
            case 1 -> key.substring(0, at) + "x" + key.substring(at + 1);
            default -> key.substring(0, at) + key.charAt(at) + key.substring(at);
        };
        Assume.that(!keys.contains(wrong) && !wrong.startsWith(Settings.BROKER_SETTINGS + "."));
        Assume.that(!wrong.startsWith(".") && !wrong.endsWith(".") && !wrong.contains(".."));

        assertThatThrownBy(() -> read("? " + wrong + "\n: 1\n", Map.of(), Map.of()))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("Unknown setting '" + wrong + "'")
                .hasMessageMatching("(?s).*(Did you mean|It is a section).*");
        assertThatThrownBy(() -> read("", Map.of(Setting.environmentName(wrong), "1"), Map.of()))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("Did you mean");
    }

    @Property(tries = 300)
    void anyFileIsReadOrRejectedWithItsName(@ForAll String text) {
        try {
            assertThat(read(text, Map.of(), Map.of())).isNotNull();
        } catch (Problem problem) {
            assertThat(problem).hasMessageContaining("some.yaml");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Property(tries = 500)
    void aDurationIsReadAsItIsPrinted(@ForAll @LongRange(min = 0, max = HUNDRED_YEARS) long millis) {
        Duration duration = Duration.ofMillis(millis);
        assertThat(Durations.parse(Durations.print(duration))).isEqualTo(duration);
        assertThat(Durations.parse(duration.toString())).isEqualTo(duration);
    }

    @Property(tries = 500)
    void aSizeIsReadAsItIsPrinted(@ForAll @IntRange(min = 1) int bytes) {
        assertThat(Sizes.parse(Sizes.print(bytes))).isEqualTo(bytes);
    }

    @Provide
    static Arbitrary<String> amounts() {
        Arbitrary<String> numbers =
                Arbitraries.strings().numeric().ofMinLength(1).ofMaxLength(16);
        Arbitrary<String> units = Arbitraries.of("ms", "s", "m", "h", "d", " s", "", "kB", "MiB", "b");
        return Arbitraries.oneOf(
                Combinators.combine(numbers, units).as((number, unit) -> number + unit),
                Combinators.combine(numbers, units).as((number, unit) -> "PT" + number + unit),
                Arbitraries.strings().withChars("0123456789msdhPTkMiB.-+_ ").ofMaxLength(20),
                Arbitraries.strings());
    }

    /** Every accepted duration fits into a long of nanoseconds, which relays use. */
    @Property(tries = 1_000)
    void anyTextIsADurationOrRejected(@ForAll("amounts") String text) {
        try {
            assertThat(Durations.parse(text).toNanos()).isNotNegative();
        } catch (IllegalArgumentException refused) {
            assertThat(refused).isNotNull();
        }
    }

    @Property(tries = 1_000)
    void anyTextIsASizeOrRejected(@ForAll("amounts") String text) {
        try {
            assertThat(Sizes.parse(text)).isPositive();
        } catch (IllegalArgumentException refused) {
            assertThat(refused).isNotNull();
        }
    }
}
