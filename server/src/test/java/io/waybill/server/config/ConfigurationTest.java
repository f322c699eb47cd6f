package io.waybill.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.internal.Secrets;
import io.waybill.server.config.Configuration.Shown;
import io.waybill.server.problem.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationTest {
    @TempDir
    private Path folder;

    @Test
    void flagsOverrideEnvironmentFileAndDefaults() throws IOException {
        file("waybill.yaml", "relay:\n  batch-size: 10\n  lease: 30s\n  workers: 7\n");
        Map<String, String> environment = Map.of("WAYBILL_RELAY_BATCH_SIZE", "20", "WAYBILL_RELAY_LEASE", "40s");
        Configuration read = read(Map.of("relay.batch-size", "30"), environment, null);

        assertThat(read.get(Settings.RELAY_BATCH_SIZE)).isEqualTo(30);
        assertThat(read.get(Settings.RELAY_LEASE)).isEqualTo(Duration.ofSeconds(40));
        assertThat(read.get(Settings.RELAY_WORKERS)).isEqualTo(7);
        assertThat(read.get(Settings.RELAY_RETENTION)).isEqualTo(Duration.ofDays(7));
        assertThat(read.shown())
                .contains(
                        new Shown("relay.batch-size", "30", "flag --relay-batch-size"),
                        new Shown("relay.lease", "40s", "environment WAYBILL_RELAY_LEASE"),
                        new Shown("relay.workers", "7", "waybill.yaml line 4"),
                        new Shown("relay.retention", "7d", "default"),
                        new Shown("database.url", null, "not set"));
    }

    @Test
    void anotherFileCanBeNamedByFlagOrEnvironment() throws IOException {
        Path other = file("other.yaml", "relay.name: fromFlag\n");
        Path third = file("third.yaml", "relay.name: fromEnvironment\n");
        Map<String, String> environment = Map.of("WAYBILL_CONFIG", third.toString());

        assertThat(read(Map.of(), environment, other).find(Settings.RELAY_NAME)).contains("fromFlag");
        assertThat(read(Map.of(), environment, null).find(Settings.RELAY_NAME)).contains("fromEnvironment");
        assertProblem(Map.of("WAYBILL_CONFIG", "absent.yaml"), "There is no configuration file", "absent.yaml");
    }

    @Test
    void unknownKeysAreErrorsWithASuggestion() throws IOException {
        file("waybill.yaml", "relay:\n  name: x\n  batchsize: 5\n");
        assertProblem(Map.of(), "'relay.batchsize'", "waybill.yaml line 3", "Did you mean 'relay.batch-size'?");
        file("waybill.yaml", "database: jdbc:postgresql://h/d\n");
        assertProblem(Map.of(), "'database'", "section", "database.url");
        file("waybill.yaml", "");
        assertProblem(
                Map.of("WAYBILL_DATABSE_URL", "x"), "WAYBILL_DATABSE_URL", "Did you mean 'WAYBILL_DATABASE_URL'?");
    }

    @Test
    void invalidFilesAreErrorsThatNameTheLine() throws IOException {
        file("waybill.yaml", "relay:\n  name: \"a\n");
        assertProblem(Map.of(), "waybill.yaml line ", "not valid YAML");
        file("waybill.yaml", "relay:\n  workers: 1\n  workers: 2\n");
        assertProblem(Map.of(), "waybill.yaml line 3");
        file("waybill.yaml", "relay:\n  name:\n");
        assertProblem(Map.of(), "line 2", "'relay.name' no value");
        file("waybill.yaml", "relay:\n  name: [a, b]\n");
        assertProblem(Map.of(), "line 2", "a list");
        file("waybill.yaml", "just text\n");
        assertProblem(Map.of(), "does not contain settings");
    }

    @ParameterizedTest
    @CsvSource({
        "WAYBILL_RELAY_LEASE, soon, a duration such as",
        "WAYBILL_RELAY_LEASE, -PT1S, a duration such as",
        "WAYBILL_RELAY_BATCH_SIZE, many, a whole number from 1 to 10000",
        "WAYBILL_RELAY_BATCH_SIZE, 0, a whole number from 1 to 10000",
        "WAYBILL_RELAY_ON_DEAD_LETTER, explode, continue or block",
        "WAYBILL_OUTBOX_MAX_PAYLOAD, big, a size such as",
        "WAYBILL_RELAY_NAME, ' ', text"
    })
    void wrongTypesNameKeyValueAndOrigin(String name, String value, String expected) {
        assertProblem(Map.of(name, value), "must be " + expected, "'" + value + "'", "environment " + name);
    }

    @Test
    void secretsComeFromFilesAndAreNeverShown() throws IOException {
        Path secret = file("secret", "planted-1\n");
        Configuration read = read(
                Map.of("database.url", "jdbc:postgresql://h/d?password=planted-2&user=u"),
                Map.of(
                        "WAYBILL_DATABASE_PASSWORD_FILE",
                        secret.toString(),
                        "WAYBILL_BROKER_SETTINGS_SASL_JAAS_CONFIG",
                        "planted-3",
                        "WAYBILL_BROKER_SETTINGS_SSL_KEY_PASSWORD_FILE",
                        secret.toString()),
                null);

        assertThat(read.find(Settings.DATABASE_PASSWORD)).contains("planted-1");
        assertThat(read.brokerSettings())
                .containsEntry("sasl.jaas.config", "planted-3")
                .containsEntry("ssl.key.password", "planted-1");
        assertThat(read.shown().toString()).contains(Secrets.MASK).doesNotContain("planted");
        assertProblem(
                Map.of("WAYBILL_DATABASE_PASSWORD_FILE", secret.toString(), "WAYBILL_DATABASE_PASSWORD", "x"), "Both");
        assertProblem(Map.of("WAYBILL_DATABASE_PASSWORD_FILE", "/absent"), "Cannot read the file '/absent'");
    }

    @Test
    void passwordsInAddressesAreMaskedAndStripped() {
        assertThat(Secrets.mask("postgresql://me:pw@h/d")).isEqualTo("postgresql://me:" + Secrets.MASK + "@h/d");
        assertThat(Secrets.strip("jdbc:postgresql://h/d?password=x&user=u")).isEqualTo("jdbc:postgresql://h/d?user=u");
        assertThat(Secrets.strip("jdbc:postgresql://h/d?user=u&password=x")).isEqualTo("jdbc:postgresql://h/d?user=u");
        assertThat(Secrets.strip("jdbc:postgresql://h/d?user=u")).isEqualTo("jdbc:postgresql://h/d?user=u");
    }

    @Test
    void brokerSettingsPassThroughFromEverySource() throws IOException {
        file("waybill.yaml", "broker:\n  settings:\n    compression.type: zstd\n    linger.ms: 5\n");
        Configuration read = Configuration.read(
                Map.of(),
                List.of("linger.ms=7", "client.rack=a=b"),
                null,
                Map.of("WAYBILL_BROKER_SETTINGS_BATCH_SIZE", "1000"),
                folder);

        assertThat(read.brokerSettings())
                .containsOnly(
                        Map.entry("compression.type", "zstd"),
                        Map.entry("linger.ms", "7"),
                        Map.entry("client.rack", "a=b"),
                        Map.entry("batch.size", "1000"));
        assertThatThrownBy(() -> Configuration.read(Map.of(), List.of("nonsense"), null, Map.of(), folder))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("name=value");
    }

    @ParameterizedTest
    @CsvSource({"500ms, PT0.5S", "20s, PT20S", "7d, PT168H", "1h30m, PT1H30M", "PT5M, PT5M", "0s, PT0S"})
    void durationsAreReadAsPeopleWriteThem(String text, Duration expected) {
        assertThat(Durations.parse(text)).isEqualTo(expected);
        assertThat(Durations.parse(Durations.print(expected))).isEqualTo(expected);
    }

    @Test
    void aLongDurationIsReadAsItIsPrinted() {
        Duration long13 = Duration.ofMillis(1_000_000_000_001L);
        assertThat(Durations.parse(Durations.print(long13))).isEqualTo(long13);
    }

    /** A relay counts nanoseconds in a long, which overflows after 292 years. */
    @ParameterizedTest
    @ValueSource(strings = {"36501d", "999999999999d", "9999999999999d", "PT9999999999999H", "-PT1S"})
    void anExcessiveDurationIsRejected(String text) {
        assertProblem(Map.of("WAYBILL_RELAY_LEASE", text), "relay.lease must be a duration", "up to 36500d", text);
    }

    private Configuration read(Map<String, String> flags, Map<String, String> environment, @Nullable Path file) {
        return Configuration.read(flags, List.of(), file, environment, folder);
    }

    private void assertProblem(Map<String, String> environment, String... parts) {
        assertThatThrownBy(() -> read(Map.of(), environment, null))
                .isInstanceOf(Problem.class)
                .message()
                .contains(parts);
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }
}
