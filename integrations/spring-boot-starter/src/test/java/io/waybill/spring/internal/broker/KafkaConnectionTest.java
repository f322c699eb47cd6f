package io.waybill.spring.internal.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The settings that Waybill's clients of Kafka take from {@code spring.kafka}. */
class KafkaConnectionTest {
    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class));

    @Test
    void addressesAndSecurityComeFromSpringKafkaAndItsClientsMayDiffer() {
        runner.withPropertyValues(
                        "spring.kafka.bootstrap-servers[0]=one:1",
                        "spring.kafka.bootstrap-servers[1]=two:2",
                        "spring.kafka.security.protocol=SASL_SSL",
                        "spring.kafka.ssl.trust-store-location=file:/secret/trust.p12",
                        "spring.kafka.ssl.trust-store-password=changeit",
                        "spring.kafka.properties.sasl.mechanism=PLAIN",
                        "spring.kafka.properties.spring.json.trusted.packages=*",
                        "spring.kafka.consumer.bootstrap-servers=three:3",
                        "spring.kafka.consumer.properties.sasl.mechanism=SCRAM-SHA-512")
                .run(context -> {
                    assertThat(producer(context).servers()).isEqualTo("one:1,two:2");
                    assertThat(producer(context).settings())
                            .isEqualTo(Map.of(
                                    "security.protocol", "SASL_SSL",
                                    "ssl.truststore.location", "/secret/trust.p12",
                                    "ssl.truststore.password", "changeit",
                                    "sasl.mechanism", "PLAIN"));
                    KafkaConnection consumer = KafkaConnection.ofConsumer(context.getEnvironment(), context, context);
                    assertThat(consumer.servers()).isEqualTo("three:3");
                    assertThat(consumer.settings()).containsEntry("sasl.mechanism", "SCRAM-SHA-512");
                });
    }

    @Test
    void addressesOfWaybillItselfComeWithoutSpringsSecurity() {
        runner.withPropertyValues(
                        "waybill.kafka.bootstrap-servers=ours:1",
                        "spring.kafka.bootstrap-servers=one:1",
                        "spring.kafka.security.protocol=SSL")
                .run(context -> assertThat(producer(context)).isEqualTo(new KafkaConnection("ours:1", Map.of())));
    }

    @Test
    void kafkasClientCanReadASslBundle(@TempDir Path folder) throws Exception {
        String store = keyStore(folder);
        runner.withPropertyValues(
                        "spring.kafka.bootstrap-servers=one:1",
                        "spring.kafka.security.protocol=SSL",
                        "spring.kafka.ssl.bundle=broker",
                        "spring.ssl.bundle.jks.broker.keystore.location=" + store,
                        "spring.ssl.bundle.jks.broker.keystore.password=changeit",
                        "spring.ssl.bundle.jks.broker.truststore.location=" + store,
                        "spring.ssl.bundle.jks.broker.truststore.password=changeit")
                .run(context -> {
                    Map<String, Object> parsed = org.apache.kafka.clients.producer.ProducerConfig.configDef()
                            .parse(all(producer(context)));
                    try (DefaultSslEngineFactory client = new DefaultSslEngineFactory()) {
                        client.configure(parsed);
                        assertThat(client.keystore().size()).isEqualTo(1);
                        assertThat(client.truststore().size()).isEqualTo(1);
                    }
                });
    }

    private static Map<String, Object> all(KafkaConnection connection) {
        String serializer = "org.apache.kafka.common.serialization.StringSerializer";
        Map<String, Object> all = new HashMap<>(connection.settings());
        all.putAll(Map.of("bootstrap.servers", connection.servers()));
        all.putAll(Map.of("key.serializer", serializer, "value.serializer", serializer));
        return all;
    }

    private static KafkaConnection producer(AssertableApplicationContext context) {
        return KafkaConnection.ofProducer(context.getEnvironment(), context, context);
    }

    private static String keyStore(Path folder) throws IOException, InterruptedException {
        Path store = folder.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "client",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=client",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit",
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.exists(store)).isTrue();
        return store.toUri().toString();
    }
}
