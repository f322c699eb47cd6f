package io.waybill.spring3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.waybill.Event;
import io.waybill.operate.EventState;
import io.waybill.spring.DomainEventFactory;
import io.waybill.spring.InboxHandler;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.spring.actuate.OutboxEndpoint;
import io.waybill.spring.jpa.OutboxEventRepository;
import io.waybill.testkit.servers.SharedServers;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** What works on Spring Boot 3.5, from one application with JPA, Actuator and the in-process transport. */
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
        DomainEventFactory factory = application.getBean(DomainEventFactory.class);
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

        await().atMost(Duration.ofSeconds(60))
                .until(() ->
                        jdbc.queryForObject("SELECT count(*) FROM invoice WHERE id = 'paid 42'", Integer.class) == 1);
        OutboxEventRepository repository = application.getBean(OutboxEventRepository.class);
        await().atMost(Duration.ofSeconds(60)).until(() -> repository.countByState(EventState.PUBLISHED) == 1);
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

    /** Its health classes have moved since, so the indicator is left out. */
    @Test
    void healthNeedsSpringBoot4() {
        assertThat(application.containsBean("outboxHealthIndicator")).isFalse();
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
