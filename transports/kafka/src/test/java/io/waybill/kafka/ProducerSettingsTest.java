package io.waybill.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.WaybillException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProducerSettingsTest {
    @ParameterizedTest
    @CsvSource({
        "acks, 1, must be all",
        "acks, 0, must be all",
        "enable.idempotence, false, must be true",
        "max.in.flight.requests.per.connection, 6, at most 5",
        "retries, 0, 1 or more",
        "partitioner.ignore.keys, true, lose their order",
        "partitioner.class, org.apache.kafka.clients.producer.RoundRobinPartitioner, lose their order",
        "delivery.timeout.ms, 1000, sendTimeout",
        "request.timeout.ms, 1000, sendTimeout",
        "max.block.ms, 1000, sendTimeout",
        "transactional.id, me, Remove it",
        "key.serializer, some.Class, UTF-8",
        "bootstrap.servers, other:9092, argument",
        "linger.ms, 10000, a quarter",
        "linger.ms, soon, linger.ms",
        "compression.type, zip, compression.type",
    })
    void aSettingThatWouldBreakAGuaranteeIsRejected(String name, String value, String says) {
        assertThatThrownBy(() -> settings(Map.of(name, value)))
                .isInstanceOf(WaybillException.class)
                .hasMessageContaining(name)
                .hasMessageContaining(says);
    }

    @ParameterizedTest
    @CsvSource({
        "linger, linger.ms",
        "linger_ms, linger.ms",
        "compresion.type, compression.type",
        "security.protocoll, security.protocol",
        "ssl.keystore.pasword, ssl.keystore.password",
        "sasl.jaas.confg, sasl.jaas.config",
        "idempotence.enable, ",
    })
    void anUnknownSettingIsRejectedWithASuggestion(String name, String meant) {
        assertThatThrownBy(() -> settings(Map.of(name, "x")))
                .isInstanceOf(WaybillException.class)
                .hasMessageContaining("no setting " + name)
                .hasMessageContaining(meant == null ? "documentation" : "Did you mean " + meant + "?");
    }

    @Test
    void everyOtherSettingReachesTheProducer() {
        Map<String, Object> producer = settings(Map.of(
                        "acks", "-1",
                        "batch.size", 1000,
                        "client.id", "orders",
                        "security.protocol", "SASL_SSL",
                        "config.providers.file.class", "some.Provider"))
                .forProducer("orders-2");
        assertThat(producer)
                .containsEntry("batch.size", 1000)
                .containsEntry("client.id", "orders-2")
                .containsEntry("config.providers.file.class", "some.Provider")
                .containsEntry("compression.type", "lz4");
    }

    @Test
    void theAdminClientGetsTheSettingsThatItKnows() {
        Map<String, Object> admin =
                settings(Map.of("security.protocol", "SSL", "batch.size", 1)).forAdmin();
        assertThat(admin)
                .containsEntry("security.protocol", "SSL")
                .containsEntry("client.id", "test-admin")
                .doesNotContainKey("batch.size");
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000, 4_000, 15_000, 1_800_000})
    void theStagesOfASendStayWithinItsTimeout(long millis) {
        SendTimeouts timeouts = new SendTimeouts(Duration.ofMillis(millis));
        Map<String, Object> producer = new ProducerSettings("a:1", timeouts, "test", Map.of()).forProducer("test");
        long deliver = millis(producer, "delivery.timeout.ms");
        Duration sum = timeouts.topicLookup()
                .plusMillis(millis(producer, "max.block.ms"))
                .plusMillis(deliver)
                .plus(timeouts.topicLookup());
        assertThat(sum).isLessThanOrEqualTo(timeouts.send());
        // Kafka's own rule, which it checks when the client starts
        assertThat(deliver)
                .isGreaterThanOrEqualTo(millis(producer, "request.timeout.ms") + millis(producer, "linger.ms"));
    }

    private static long millis(Map<String, Object> settings, String name) {
        return Long.parseLong(String.valueOf(settings.get(name)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",", "kafka", "kafka:", ":9092", "kafka:0", "kafka:70000", "kafka 1:9092"})
    void anInvalidAddressIsRejected(String servers) {
        assertThatThrownBy(() -> KafkaTransport.to(servers))
                .isInstanceOf(WaybillException.class)
                .hasMessageContaining("host:port");
    }

    @Test
    void addressesAreParsedLikeInKafka() {
        assertThat(BootstrapServers.parse("kafka-1:9092, [::1]:9093,PLAINTEXT://10.0.0.1:9094"))
                .extracting(BootstrapServers.Address::host)
                .containsExactly("kafka-1", "::1", "10.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT0.5S", "PT1H"})
    void aSendTimeoutOutOfRangeIsRejected(String timeout) {
        assertThatThrownBy(() -> KafkaTransport.builder("a:1")
                        .sendTimeout(Duration.parse(timeout))
                        .build())
                .isInstanceOf(WaybillException.class)
                .hasMessageContaining("sendTimeout");
    }

    private static ProducerSettings settings(Map<String, Object> user) {
        return new ProducerSettings("kafka-1:9092", new SendTimeouts(Duration.ofSeconds(15)), "test", user);
    }
}
