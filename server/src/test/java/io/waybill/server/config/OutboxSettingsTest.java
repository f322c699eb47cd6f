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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings below {@code outboxes.NAME}. */
class OutboxSettingsTest {
    @TempDir
    private Path folder;

    @Test
    void anOutboxOverridesTheTopLevelAndFlagsOverrideBoth() throws IOException {
        file(
                """
                broker: { url: kafka://shared, settings: { linger.ms: 5 } }
                relay: { lease: 30s, workers: 2 }
                outboxes:
                  order: { database: { url: jdbc:h2:./order }, relay: { lease: 40s } }
                  payment:
                    database: { url: jdbc:h2:./payment }
                    broker: { url: nats://own, settings: { stream: x } }
                """);
        Configuration all = read(Map.of("relay.workers", "9"), Map.of("WAYBILL_RELAY_LEASE", "50s"));
        Configuration order = all.outbox("order");
        Configuration payment = all.outbox("payment");

        assertThat(all.outboxNames()).containsExactly("order", "payment");
        assertThat(all.outboxes()).extracting(outbox -> outbox.outbox().orElse("")).containsExactly("order", "payment");
        assertThat(all.find(Settings.DATABASE_URL)).isEmpty();
        assertThat(order.find(Settings.DATABASE_URL)).contains("jdbc:h2:./order");
        assertThat(order.get(Settings.RELAY_LEASE)).isEqualTo(Duration.ofSeconds(40));
        assertThat(payment.get(Settings.RELAY_LEASE)).isEqualTo(Duration.ofSeconds(50));
        assertThat(order.get(Settings.RELAY_WORKERS)).isEqualTo(9);
        assertThat(order.find(Settings.BROKER_URL)).contains("kafka://shared");
        assertThat(payment.find(Settings.BROKER_URL)).contains("nats://own");
        assertThat(order.brokerSettings()).isEqualTo(Map.of("linger.ms", "5"));
    }

    @Test
    void withoutNamesTheTopLevelIsTheOnlyOutbox() throws IOException {
        file("database: { url: jdbc:h2:./one }\n");
        Configuration all = read(Map.of(), Map.of());
        assertThat(all.outboxes()).containsExactly(all);
        assertThat(all.outbox()).isEmpty();
        assertThatThrownBy(() -> all.outbox("order"))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("No outbox has a name");
    }

    @Test
    void variablesAndSecretFilesConcernOneOutbox() throws IOException {
        file("outboxes:\n  order-eu: { database: { url: jdbc:h2:./a } }\n  payment: { database: { url: jdbc:h2:./b } }\n");
        Path secret = Files.writeString(folder.resolve("secret"), "planted\n");
        Configuration all = read(
                Map.of(),
                Map.of(
                        "WAYBILL_OUTBOXES_ORDER_EU_DATABASE_PASSWORD_FILE", secret.toString(),
                        "WAYBILL_OUTBOXES_PAYMENT_RELAY_MAX_ATTEMPTS", "3",
                        "WAYBILL_OUTBOXES_PAYMENT_BROKER_SETTINGS_COMPRESSION_TYPE", "zstd",
                        "WAYBILL_DATABASE_PASSWORD", "shared"));
        assertThat(all.outbox("order-eu").find(Settings.DATABASE_PASSWORD)).contains("planted");
        assertThat(all.outbox("payment").find(Settings.DATABASE_PASSWORD)).contains("shared");
        assertThat(all.outbox("payment").get(Settings.RELAY_MAX_ATTEMPTS)).isEqualTo(3);
        assertThat(all.outbox("payment").brokerSettings()).isEqualTo(Map.of("compression.type", "zstd"));
        assertThat(all.shown())
                .contains(
                        new Shown(
                                "outboxes.order-eu.database.password",
                                Secrets.MASK,
                                "file of environment WAYBILL_OUTBOXES_ORDER_EU_DATABASE_PASSWORD_FILE"),
                        new Shown("outboxes.payment.database.url", "jdbc:h2:./b", "waybill.yaml line 3"))
                .noneMatch(shown -> String.valueOf(shown.value()).contains("planted"));
    }

    @Test
    void variablesDeclareOutboxesOnlyIfTheFileDeclaresNone() throws IOException {
        Map<String, String> environment = Map.of("WAYBILL_OUTBOXES_ORDER_EU_DATABASE_URL", "jdbc:h2:./x");
        assertThat(read(Map.of(), environment).outboxNames()).containsExactly("order-eu");
        file("outboxes:\n  order-us: { database: { url: jdbc:h2:./a } }\n");
        assertProblem(
                environment,
                "WAYBILL_OUTBOXES_ORDER_EU_DATABASE_URL",
                "Did you mean 'WAYBILL_OUTBOXES_ORDER_US_DATABASE_URL'?",
                "Declared: order-us");
        assertProblem(
                Map.of("WAYBILL_OUTBOXES_ORDER_US_DATABASE_URI", "x"),
                "Did you mean 'WAYBILL_OUTBOXES_ORDER_US_DATABASE_URL'?");
        assertProblem(Map.of("WAYBILL_OUTBOXES_HTTP_PORT", "1"), "Unknown environment variable");
    }

    @Test
    void mistakesAreErrorsThatNameTheRemedy() throws IOException {
        file("outboxes:\n  order: { databse: { url: x } }\n");
        assertProblem(Map.of(), "'outboxes.order.databse.url'", "line 2", "'outboxes.order.database.url'?");
        file("outbox:\n  order: { database: { url: x } }\n");
        assertProblem(Map.of(), "'outbox.order.database.url'", "Did you mean 'outboxes'?");
        file("outboxes:\n  order: { http: { port: 1 } }\n");
        assertProblem(Map.of(), "concerns the process", "as http.port");
        file("outboxes:\n  order: { relay: { lease: soon } }\n");
        assertProblem(Map.of(), "outboxes.order.relay.lease must be a duration", "'soon'", "line 2");
        file("outboxes:\n  order: {}\n");
        assertProblem(Map.of(), "'outboxes.order' no settings");
        file("outboxes:\n  order: jdbc:h2:./x\n");
        assertProblem(Map.of(), "It is a section", "outboxes.order.database.url");
        file("outboxes: order\n");
        assertProblem(Map.of(), "It is a section", "outboxes.order.database.url");
        file("outboxes:\n  order: { engine: queue }\n  Order: { engine: queue }\n");
        assertProblem(Map.of(), "differ only in case");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a_b", "-a", "a b", "ä", "''", "a/b"})
    void aNameHasOnlyLettersDigitsAndHyphens(String name) throws IOException {
        file("outboxes:\n  " + name + ": { engine: queue }\n");
        assertProblem(Map.of(), "cannot be the name of an outbox");
    }

    private Configuration read(Map<String, String> flags, Map<String, String> environment) {
        return Configuration.read(flags, List.of(), null, environment, folder);
    }

    private void assertProblem(Map<String, String> environment, String... parts) {
        assertThatThrownBy(() -> read(Map.of(), environment))
                .isInstanceOf(Problem.class)
                .message()
                .contains(parts);
    }

    private void file(String text) throws IOException {
        Files.writeString(folder.resolve("waybill.yaml"), text);
    }
}
