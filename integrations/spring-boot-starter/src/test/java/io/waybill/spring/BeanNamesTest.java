package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.testkit.servers.SharedServers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.type.MethodMetadata;

/** The starter uses no bean names that an application may use: two beans of the same name would fail its start. */
class BeanNamesTest {
    /** Names that other outbox libraries and applications use. */
    private static final List<String> TAKEN = List.of(
            "outboxPublisher",
            "outboxEngine",
            "jdbcOutbox",
            "inheritedHeaders",
            "transactionalOutbox",
            "payloadJson",
            "domainEventFactory",
            "eventFactory",
            "relayLifecycle",
            "envelope",
            "outboxedEvents",
            "eventEnvelopeBuilder",
            "postgresInbox",
            "inboxHandlers",
            "inboxConsumer",
            "kafkaTransport",
            "kafkaFeed",
            "rabbitTransport",
            "rabbitFeed",
            "natsTransport",
            "natsFeed",
            "inProcessDelivery",
            "jpaChanges",
            "outboxEventRepository",
            "outboxEndpoint",
            "outboxGauges",
            "relayMetrics",
            "inboxMetrics",
            "inboxGauges",
            "sagas",
            "sagaParticipant",
            "transactionalSagas",
            "outboxHealthIndicator");

    @Test
    void everyBeanNameBeginsWithWaybill() {
        try (ConfigurableApplicationContext application = start(false)) {
            assertThat(ofWaybill(application.getBeanFactory()))
                    .hasSizeGreaterThan(15)
                    .contains("waybillRelayLifecycle", "waybillOutboxEndpoint", "waybillOutboxEventRepository")
                    // The name of a health indicator is the name under which /actuator/health shows it.
                    .allSatisfy(name -> assertThat(name).matches("waybill[A-Z].*|(outbox|inbox)HealthIndicator"));
        }
    }

    @Test
    void anApplicationMayUseEveryOtherName() {
        try (ConfigurableApplicationContext application = start(true)) {
            assertThat(application.getBean("outboxPublisher")).isEqualTo("the application's own");
            assertThat(application.getBean(RelayLifecycle.class)).isNotNull();
        }
    }

    private static ConfigurableApplicationContext start(boolean withTakenNames) {
        return Apps.builder(
                        App.class,
                        SharedServers.freshDatabase(),
                        "spring.jpa.hibernate.ddl-auto=none",
                        "spring.kafka.bootstrap-servers=localhost:1",
                        "spring.jmx.enabled=true",
                        "management.endpoints.jmx.exposure.include=*",
                        "waybill.schema=apply",
                        "waybill.relay.enabled=false",
                        "waybill.inbox.enabled=false")
                .initializers(context -> {
                    if (withTakenNames) {
                        TAKEN.forEach(name -> {
                            RootBeanDefinition own = new RootBeanDefinition(String.class);
                            own.setInstanceSupplier(() -> "the application's own");
                            ((GenericApplicationContext) context).registerBeanDefinition(name, own);
                        });
                    }
                })
                .run();
    }

    private static List<String> ofWaybill(ConfigurableListableBeanFactory beans) {
        List<String> names = new ArrayList<>();
        for (String name : beans.getBeanDefinitionNames()) {
            if (beans.getBeanDefinition(name) instanceof AnnotatedBeanDefinition definition) {
                MethodMetadata method = definition.getFactoryMethodMetadata();
                if (method != null
                        && method.getDeclaringClassName().matches("io\\.waybill\\.spring\\..*AutoConfiguration.*")) {
                    names.add(name);
                }
            }
        }
        return names;
    }

    @EnableAutoConfiguration
    static class App {}
}
