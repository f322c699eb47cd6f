package io.waybill.spring.internal.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.jdbc.OutboxSchema;
import io.waybill.kafka.KafkaTransport;
import io.waybill.nats.NatsTransport;
import io.waybill.rabbitmq.RabbitTransport;
import io.waybill.spring.Apps;
import io.waybill.spring.internal.inbox.InProcessDelivery;
import io.waybill.spring.internal.start.StartFailure;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.transport.Transport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Which broker an application uses, given its class path and its settings. */
class TransportChoiceTest {
    private static final String DATABASE = SharedServers.freshDatabase();
    private static final String KAFKA = "waybill.kafka.bootstrap-servers=localhost:1";
    private static final String RABBIT = "spring.rabbitmq.host=localhost";
    private static final String NATS = "waybill.nats.url=nats://localhost:1";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(Apps.AUTO_CONFIGURATIONS)
            .withPropertyValues("spring.datasource.url=" + DATABASE, "waybill.relay.enabled=false");

    @BeforeAll
    static void tables() {
        OutboxSchema.apply(new DriverManagerDataSource(DATABASE));
    }

    @Test
    void rabbitMqIsChosenByItsAddress() {
        runner.withPropertyValues(RABBIT)
                .run(context -> assertThat(context.getBean(Transport.class))
                        .isInstanceOf(RabbitTransport.class)
                        .hasToString("RabbitMQ at localhost:5672"));
        runner.withPropertyValues("waybill.rabbitmq.url=rabbitmq://localhost:1/shop")
                .run(context ->
                        assertThat(context.getBean(Transport.class)).hasToString("RabbitMQ at localhost:1/shop"));
    }

    @Test
    void rabbitMqIsChosenByConnectionDetails() {
        runner.withUserConfiguration(RabbitConnectionTest.Container.class)
                .run(context -> assertThat(context.getBean(Transport.class)).hasToString("RabbitMQ at localhost:3"));
    }

    @Test
    void natsIsChosenByItsAddress() {
        runner.withPropertyValues(NATS)
                .run(context -> assertThat(context.getBean(Transport.class))
                        .isInstanceOf(NatsTransport.class)
                        .hasToString("NATS at localhost:1"));
    }

    @Test
    void twoConfiguredBrokersNeedAChoice() {
        runner.withPropertyValues(KAFKA, RABBIT)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(StartFailure.class)
                        .hasMessageContaining("Kafka and RabbitMQ")
                        .hasMessageContaining("Set waybill.transport to kafka or rabbitmq."));
        runner.withPropertyValues(KAFKA, RABBIT, NATS, "waybill.transport=rabbitmq")
                .run(context -> assertThat(context.getBean(Transport.class)).isInstanceOf(RabbitTransport.class));
        runner.withPropertyValues(KAFKA, RABBIT, NATS, "waybill.transport=in-process")
                .run(context -> assertThat(context.getBean(Transport.class)).isInstanceOf(InProcessDelivery.class));
    }

    @Test
    void anAddressWithoutItsTransportOnTheClassPathIsNoCandidate() {
        runner.withClassLoader(new FilteredClassLoader(RabbitTransport.class))
                .withPropertyValues(KAFKA, RABBIT)
                .run(context -> assertThat(context.getBean(Transport.class)).isInstanceOf(KafkaTransport.class));
    }

    @Test
    void withoutAnyTransportOnTheClassPathTheApplicationStarts() {
        runner.withClassLoader(new FilteredClassLoader(
                        "io.waybill.kafka",
                        "io.waybill.rabbitmq",
                        "io.waybill.nats",
                        "org.apache.kafka",
                        "com.rabbitmq",
                        "io.nats"))
                .run(context -> assertThat(context.getBean(Transport.class)).isInstanceOf(InProcessDelivery.class));
    }

    @Test
    void aChosenBrokerWithoutItsTransportNamesTheDependency() {
        runner.withClassLoader(new FilteredClassLoader(NatsTransport.class))
                .withPropertyValues("waybill.transport=nats")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(StartFailure.class)
                        .hasMessageContaining("Add the dependency io.waybill:waybill-transport-nats."));
        runner.withClassLoader(new FilteredClassLoader(KafkaTransport.class))
                .withPropertyValues(KAFKA)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("waybill.kafka.bootstrap-servers is set")
                        .hasMessageContaining("Add the dependency io.waybill:waybill-transport-kafka."));
    }

    @Test
    void aChosenBrokerNeedsAnAddress() {
        runner.withPropertyValues("waybill.transport=rabbitmq")
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("waybill.rabbitmq.url"));
        runner.withPropertyValues("waybill.transport=nats")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("waybill.nats.url"));
    }
}
