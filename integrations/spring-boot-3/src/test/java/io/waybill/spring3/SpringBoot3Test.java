package io.waybill.spring3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.waybill.Event;
import io.waybill.admin.EventState;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.Sagas;
import io.waybill.spring.EventFactory;
import io.waybill.spring.InboxHandler;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.spring.TransactionalSagas;
import io.waybill.spring.actuate.OutboxEndpoint;
import io.waybill.spring.jpa.OutboxEventRepository;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.transport.Transport;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import javax.management.ObjectName;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.kafka.KafkaConnectionDetails;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** An application on Spring Boot 3.5 with JPA, Actuator and the in-process transport. */
class SpringBoot3Test {
    private static ConfigurableApplicationContext application;
    private static JdbcTemplate jdbc;

    @BeforeAll
    static void start() {
        application = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.application.name=shop",
                        "spring.datasource.url=" + SharedServers.freshDatabase(),
                        "spring.jpa.hibernate.ddl-auto=create-drop",
                        "spring.jmx.enabled=true",
                        "management.endpoints.jmx.exposure.include=*",
                        "waybill.schema=apply")
                .run();
        jdbc = application.getBean(JdbcTemplate.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void thisIsSpringBoot3() {
        assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
    }

    @Test
    void anEventIsAppendedRelayedAndHandledInItsTransactions() {
        EntityManager entities = application.getBean(EntityManager.class);
        TransactionalOutbox outbox = application.getBean(TransactionalOutbox.class);
        EventFactory factory = application.getBean(EventFactory.class);
        TransactionTemplate transaction = application.getBean(TransactionTemplate.class);
        for (boolean commit : new boolean[] {false, true}) {
            transaction.executeWithoutResult(status -> {
                entities.persist(new Invoice("1"));
                outbox.append(factory.create("invoice.sent", "Invoice", 1, new Sent(42)));
                if (!commit) {
                    status.setRollbackOnly();
                }
            });
        }

        await().atMost(Duration.ofMinutes(4))
                .until(() ->
                        jdbc.queryForObject("SELECT count(*) FROM invoice WHERE id = 'paid 42'", Integer.class) == 1);
        OutboxEventRepository repository = application.getBean(OutboxEventRepository.class);
        await().atMost(Duration.ofMinutes(4)).until(() -> repository.countByState(EventState.PUBLISHED) == 1);
        assertThat(repository.count()).isEqualTo(1);
        assertThat(application.getBean(OutboxEndpoint.class).status().publishing())
                .isTrue();
        assertThat(application
                        .getBean(MeterRegistry.class)
                        .get("outbox.up")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThatThrownBy(() -> outbox.append(Event.of("a", "b", "c", "{}")))
                .hasMessageContaining("no transaction is active");
    }

    @Test
    void healthShowsTheOutbox() {
        Health health = application
                .getBean("outboxHealthIndicator", HealthIndicator.class)
                .health();
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsEntry("publishing", true).containsKey("liveRelays");
    }

    @Test
    void aSagaRunsAndHealthShowsTheEngine() {
        Sagas<?> sagas = application.getBean(Sagas.class);
        @SuppressWarnings("unchecked") // the only Saga bean
        Saga<Sent> note = application.getBean(Saga.class);
        application
                .getBean(TransactionTemplate.class)
                .executeWithoutResult(
                        status -> application.getBean(TransactionalSagas.class).start(note, "7", new Sent(7)));

        await().atMost(Duration.ofMinutes(4))
                .until(() -> sagas.result(note, "7").orElseThrow().status() == SagaStatus.COMPLETED);
        assertThat(jdbc.queryForList("SELECT id FROM invoice WHERE id = 'noted 7'"))
                .hasSize(1);
        Health health = application
                .getBean("waybillSagasHealthIndicator", HealthIndicator.class)
                .health();
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsEntry("running", true);
    }

    @Test
    void parametersOfTheEndpointAreOptional() throws Exception {
        ObjectName endpoint = new ObjectName("org.springframework.boot:type=Endpoint,name=Outbox");
        Object pending = ManagementFactory.getPlatformMBeanServer()
                .invoke(endpoint, "show", new Object[] {"dead-letters", null, null, null}, new String[] {
                    "java.lang.String", "java.lang.String", "java.lang.String", "java.lang.Integer"
                });
        assertThat(pending).asInstanceOf(InstanceOfAssertFactories.LIST).isEmpty();
    }

    /** Testcontainers and Docker Compose define such a bean. */
    @Test
    void kafkaIsChosenByConnectionDetails() {
        try (ConfigurableApplicationContext other = new SpringApplicationBuilder(WithBroker.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + SharedServers.freshDatabase(),
                        "waybill.schema=apply",
                        "waybill.relay.enabled=false")
                .run()) {
            assertThat(other.getBean(Transport.class)).hasToString("Kafka at localhost:3");
        }
    }

    record Sent(int total) {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Handlers.class)
    static class App {
        @Bean
        SimpleMeterRegistry registry() {
            return new SimpleMeterRegistry();
        }

        @Bean
        Saga<Sent> note(EntityManager entities) {
            return Saga.named("note", Sent.class)
                    .step("persist")
                    .local(sent -> {
                        entities.persist(new Invoice("noted " + sent.total()));
                        return sent;
                    })
                    .noCompensation("a note only")
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithBroker {
        @Bean
        KafkaConnectionDetails broker() {
            return () -> List.of("localhost:3");
        }
    }

    static class Handlers {
        private final EntityManager entities;

        Handlers(EntityManager entities) {
            this.entities = entities;
        }

        @InboxHandler("invoice.sent")
        void sent(Sent sent) {
            entities.persist(new Invoice("paid " + sent.total()));
        }
    }

    @Entity(name = "invoice")
    static class Invoice {
        @Id
        private String id;

        protected Invoice() {
            this("");
        }

        Invoice(String id) {
            this.id = id;
        }
    }
}
