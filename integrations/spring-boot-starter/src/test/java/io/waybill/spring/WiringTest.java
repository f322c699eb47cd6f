package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.envelope.Envelope;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.kafka.KafkaTransport;
import io.waybill.spring.actuate.OutboxEndpoint;
import io.waybill.spring.internal.inbox.InProcessDelivery;
import io.waybill.spring.internal.inbox.InboxAutoConfiguration;
import io.waybill.spring.internal.outbox.OutboxAutoConfiguration;
import io.waybill.spring.internal.outbox.WriterAutoConfiguration;
import io.waybill.spring.internal.relay.RelayAutoConfiguration;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.transport.Delivery;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Which beans exist, and which of them run. */
class WiringTest {
    private static final String DATABASE = SharedServers.freshDatabase();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(Apps.AUTO_CONFIGURATIONS)
            .withPropertyValues("spring.datasource.url=" + DATABASE);

    @BeforeAll
    static void tables() {
        OutboxSchema.apply(new DriverManagerDataSource(DATABASE));
    }

    @Test
    void aDataSourceIsEnough() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(TransactionalOutbox.class).hasSingleBean(EventFactory.class);
            assertThat(context.getBean(Transport.class)).isInstanceOf(InProcessDelivery.class);
            assertThat(context.getBean(RelayLifecycle.class).isRunning())
                    .as("the application starts without a destination for its events")
                    .isFalse();
            assertThat(context).doesNotHaveBean(OutboxEndpoint.class);
        });
    }

    @Test
    void aRelayThatIsNotEnabledNeverRuns() {
        runner.withUserConfiguration(OwnTransport.class)
                .withPropertyValues("waybill.relay.enabled=false")
                .run(context -> {
                    context.start();
                    assertThat(context.getBean(RelayLifecycle.class).isRunning())
                            .isFalse();
                });
    }

    @Test
    void kafkaIsChosenByItsAddress() {
        runner.withPropertyValues("waybill.kafka.bootstrap-servers=localhost:1", "waybill.relay.enabled=false")
                .run(context -> assertThat(context).hasSingleBean(KafkaTransport.class));
        runner.withPropertyValues("waybill.kafka.bootstrap-servers=localhost:1", "waybill.transport=none")
                .run(context -> assertThat(context).doesNotHaveBean(KafkaTransport.class));
    }

    @Test
    void kafkaIsChosenByAYamlListOfAddresses() {
        runner.withPropertyValues(
                        "spring.kafka.bootstrap-servers[0]=localhost:1",
                        "spring.kafka.bootstrap-servers[1]=localhost:2",
                        "waybill.relay.enabled=false")
                .run(context -> assertThat(context.getBean(Transport.class))
                        .isInstanceOf(KafkaTransport.class)
                        .hasToString("Kafka at localhost:1,localhost:2"));
    }

    /** Testcontainers and Docker Compose define such a bean. */
    @Test
    void kafkaIsChosenByConnectionDetails() {
        runner.withUserConfiguration(Container.class)
                .withPropertyValues("waybill.relay.enabled=false")
                .run(context -> assertThat(context.getBean(Transport.class))
                        .isInstanceOf(KafkaTransport.class)
                        .hasToString("Kafka at localhost:3"));
    }

    @Test
    void settingsMayBeWrittenInEveryWayThatSpringAllows() {
        runner.withUserConfiguration(OwnSettings.class)
                .withPropertyValues(
                        "waybill.inbox.topics[0]=orders",
                        "waybill.inbox.onUnknownType=skip",
                        "waybill.relay.poll_every=3ms",
                        "waybill.kafka.consumer.auto.offset.reset=earliest",
                        "waybill.kafka.properties[sasl.mechanism]=PLAIN",
                        "waybill.own.colour=blue")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void waybillCanBeDisabled() {
        runner.withPropertyValues("waybill.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(TransactionalOutbox.class)
                        .doesNotHaveBean(RelayLifecycle.class));
    }

    @Test
    void withoutADataSourceThereAreNoBeans() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        OutboxAutoConfiguration.class,
                        WriterAutoConfiguration.class,
                        InboxAutoConfiguration.class,
                        RelayAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(TransactionalOutbox.class));
    }

    @Test
    void aScheduledRelayUsesTheApplicationsOwnTransportAndEnvelope() {
        runner.withUserConfiguration(OwnTransport.class)
                .withPropertyValues("waybill.relay.every=50ms")
                .run(context -> {
                    OwnTransport own = context.getBean(OwnTransport.class);
                    context.getBean(TransactionTemplate.class)
                            .executeWithoutResult(status -> context.getBean(TransactionalOutbox.class)
                                    .append(Event.of("order.placed", "Order", "1", "{}")));
                    await().atMost(Duration.ofMinutes(4)).until(() -> own.sent.equals(List.of("own envelope")));
                    assertThat(context.getBean(RelayLifecycle.class).isRunning())
                            .isTrue();
                    context.getBean(RelayLifecycle.class).stop();
                    assertThat(context.getBean(RelayLifecycle.class).isRunning())
                            .isFalse();
                });
    }

    @Test
    void runOncePublishesWithoutARunningRelay() {
        runner.withUserConfiguration(OwnTransport.class)
                .withPropertyValues("waybill.relay.enabled=false")
                .run(context -> {
                    context.getBean(TransactionTemplate.class)
                            .executeWithoutResult(status -> context.getBean(TransactionalOutbox.class)
                                    .append(Event.of("order.placed", "Order", "1", "{}")));
                    assertThat(context.getBean(RelayLifecycle.class).runOnce()).isEqualTo(1);
                });
    }

    @Test
    void claimBytesReachTheRelay() {
        runner.withUserConfiguration(OwnTransport.class)
                .withPropertyValues("waybill.relay.enabled=false", "waybill.relay.claim-bytes=0B")
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(RelayLifecycle.class).runOnce())
                        .hasMessageContaining("claim bytes must be 1 or more"));
    }

    @Test
    void everyPropertyIsDescribedForEditors() throws IOException {
        List<JsonNode> ours = new ArrayList<>();
        for (URL url : Collections.list(
                WaybillProperties.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream file = url.openStream()) {
                JsonMapper.builder()
                        .build()
                        .readTree(file)
                        .get("properties")
                        .valueStream()
                        .filter(property -> property.get("name").asString().startsWith("waybill."))
                        .filter(property -> !property.get("name").asString().startsWith("waybill.own."))
                        .forEach(ours::add);
            }
        }
        assertThat(ours).hasSizeGreaterThan(35);
        assertThat(ours)
                .allSatisfy(property -> assertThat(property.get("description"))
                        .as(property.get("name").asString())
                        .isNotNull());
    }

    @ConfigurationProperties("waybill.own")
    record Own(String colour) {}

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(Own.class)
    static class OwnSettings {}

    @Configuration(proxyBeanMethods = false)
    static class Container {
        @Bean
        KafkaConnectionDetails broker() {
            KafkaConnectionDetails.Configuration address = () -> List.of("localhost:3");
            return new KafkaConnectionDetails() {
                @Override
                public KafkaConnectionDetails.Configuration getProducer() {
                    return address;
                }

                @Override
                public KafkaConnectionDetails.Configuration getConsumer() {
                    return address;
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnTransport {
        final List<String> sent = new CopyOnWriteArrayList<>();

        @Bean
        Envelope ownEnvelope() {
            return event -> new Message(event.id(), "own envelope", event.key(), new byte[0], event.headers());
        }

        @Bean
        Transport ownTransport() {
            return new Transport() {
                @Override
                public void send(Message message, Delivery delivery) {
                    sent.add(message.topic());
                    delivery.acknowledged();
                }

                @Override
                public void probe() {}

                @Override
                public void close() {}
            };
        }
    }
}
