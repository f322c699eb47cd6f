package io.waybill.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.spring.EventFactory;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.testkit.servers.SharedServers;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** A user's own test, as users write it. */
@SpringBootTest(
        properties = {
            "spring.autoconfigure.exclude=org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration",
            "spring.flyway.enabled=false",
            "waybill.schema=apply"
        })
@WaybillTest
class AppendedEventsTest {
    @Autowired
    private AppendedEvents events;

    @Autowired
    private TransactionalOutbox outbox;

    @Autowired
    private EventFactory factory;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private RelayLifecycle publisher;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) {
        String database = SharedServers.freshDatabase();
        properties.add("spring.datasource.url", () -> database);
    }

    record Placed(int total) {}

    @Test
    void committedEventsAreFound() {
        transaction.executeWithoutResult(
                status -> outbox.append(factory.builder("order.placed", "Order", 42, new Placed(10))
                        .header("user-id", "ann")
                        .aggregateVersion(3)
                        .topic("orders")
                        .build()));

        assertThat(events)
                .appended("order.placed")
                .forKey("42")
                .withPayload("{\"total\":10}")
                .withPayload(new Placed(10))
                .withHeader("user-id", "ann")
                .once();
        assertThat(events.ofType("order.placed")).singleElement().satisfies(event -> {
            assertThat(event.aggregateVersion()).hasValue(3);
            assertThat(event.topic()).contains("orders");
        });
        assertThat(publisher.isRunning()).isFalse();
    }

    @RepeatedTest(2)
    @Transactional
    void eventsOfTheTestsOwnTransactionAreFoundAndThoseOfEarlierTestsAreNot() {
        assertThat(events).nothing();
        outbox.append(Event.of("order.placed", "Order", "1", "{}"));
        assertThat(events).appended("order.placed").once();
    }

    @Test
    void rolledBackEventsAreNotFoundAndTheMessageListsTheOthers() {
        transaction.executeWithoutResult(status -> outbox.append(Event.of("order.paid", "Order", "1", "{}")));
        transaction.executeWithoutResult(status -> {
            outbox.append(Event.of("order.placed", "Order", "1", "{}"));
            status.setRollbackOnly();
        });

        assertThatThrownBy(() -> assertThat(events).appended("order.placed"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Expected an event of type order.placed, but there is none")
                .hasMessageContaining("order.paid/1");
        assertThatThrownBy(() -> assertThat(events).appended("order.paid").forKey("2"))
                .hasMessageContaining("with key 2");
        assertThatThrownBy(() -> assertThat(events).nothing()).hasMessageContaining("order.paid/1");
    }

    @EnableAutoConfiguration
    static class App {}
}
