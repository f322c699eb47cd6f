package io.waybill.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.spring.TransactionalOutbox;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.annotation.Transactional;

/** A user's own unit test, on a database that needs no installation. */
@SpringBootTest(
        properties = {
            "spring.autoconfigure.exclude=org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration",
            "spring.datasource.url=jdbc:h2:mem:appended",
            "spring.flyway.enabled=false",
            "waybill.schema=apply"
        })
@WaybillTest
class H2AppendedEventsTest {
    @Autowired
    private AppendedEvents events;

    @Autowired
    private TransactionalOutbox outbox;

    @Test
    @Transactional
    void eventsOfTheTestsOwnTransactionAreFound() {
        outbox.append(Event.builder("order.placed", "Order", "42")
                .payload("{\"total\":10}")
                .header("user-id", "ann")
                .build());

        assertThat(events).appended("order.placed").forKey("42").withPayload("{\"total\":10}");
        assertThat(events.all().get(0).headers()).containsEntry("user-id", "ann");
    }

    @EnableAutoConfiguration
    static class App {}
}
