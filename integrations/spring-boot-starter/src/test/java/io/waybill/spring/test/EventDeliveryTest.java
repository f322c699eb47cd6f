package io.waybill.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.spring.InboxHandler;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.testkit.servers.SharedServers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

/** A user's test of handlers, from the append to the last effect. */
@SpringBootTest(
        classes = EventDeliveryTest.App.class,
        properties = {
            "spring.application.name=shop",
            "spring.autoconfigure.exclude="
                    + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration",
            "spring.flyway.enabled=false",
            "waybill.inbox.retry.first-delay=10ms",
            "waybill.schema=apply"
        })
@WaybillTest
class EventDeliveryTest {
    @Autowired
    private EventDelivery delivery;

    @Autowired
    private TransactionalOutbox outbox;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private Log log;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) {
        String database = SharedServers.freshDatabase();
        properties.add("spring.datasource.url", () -> database);
    }

    @BeforeEach
    void forget() {
        log.lines.clear();
    }

    @Test
    void awaitReturnsAfterTheHandlersOfAllEventsHaveRun() {
        append("order.placed");
        delivery.await();

        assertThat(log.lines).containsExactly("first", "second", "third", "shipped");
    }

    /** Both handlers of a type run in one transaction, which is retried as a whole. */
    @Test
    void aFailedHandlerRollsBackTheOtherHandlersOfItsType() {
        log.failures.set(1);
        append("order.placed");
        delivery.await();

        assertThat(log.lines).containsExactly("first", "second", "first", "second", "third", "shipped");
    }

    @Test
    void awaitRefusesAnOpenTransaction() {
        transaction.executeWithoutResult(status -> assertThatThrownBy(() -> delivery.await(Duration.ofSeconds(1)))
                .hasMessageContaining("has not committed"));
    }

    @Test
    void awaitRefusesABroker() {
        try (ConfigurableApplicationContext other = new SpringApplicationBuilder(App.class, EventDelivery.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.application.name=shop",
                        "spring.datasource.url=" + SharedServers.freshDatabase(),
                        "spring.flyway.enabled=false",
                        "waybill.schema=apply",
                        "waybill.kafka.bootstrap-servers=localhost:1",
                        "waybill.relay.enabled=false",
                        "waybill.inbox.enabled=false")
                .run()) {
            assertThatThrownBy(() -> other.getBean(EventDelivery.class).await())
                    .hasMessageContaining("Set waybill.transport=in-process");
        }
    }

    private void append(String type) {
        transaction.executeWithoutResult(status -> outbox.append(Event.of(type, "Order", "1", "{}")));
    }

    @EnableAutoConfiguration
    @Import({Log.class, Second.class, First.class})
    static class App {}

    static class Log {
        final List<String> lines = new CopyOnWriteArrayList<>();
        final AtomicInteger failures = new AtomicInteger();
    }

    static class Second {
        private final Log log;
        private final TransactionalOutbox outbox;

        Second(Log log, TransactionalOutbox outbox) {
            this.log = log;
            this.outbox = outbox;
        }

        @Order(3)
        @InboxHandler("order.placed")
        void third() {
            log.lines.add("third");
        }

        @Order(2)
        @InboxHandler("order.placed")
        void second() {
            log.lines.add("second");
            if (log.failures.getAndSet(0) > 0) {
                throw new IllegalStateException("not yet");
            }
            outbox.append(Event.of("order.shipped", "Order", "1", "{}"));
        }

        @InboxHandler("order.shipped")
        void shipped() {
            log.lines.add("shipped");
        }
    }

    static class First {
        private final Log log;

        First(Log log) {
            this.log = log;
        }

        @Order(1)
        @InboxHandler("order.placed")
        void first() {
            log.lines.add("first");
        }
    }
}
