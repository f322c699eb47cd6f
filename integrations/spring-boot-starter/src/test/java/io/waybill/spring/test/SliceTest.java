package io.waybill.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.testkit.servers.SharedServers;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.jdbc.test.autoconfigure.AutoConfigureTestDatabase;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The outbox in a test slice, which contains only the imported auto-configurations. */
@JdbcTest(properties = {"waybill.schema=apply", "spring.flyway.enabled=false"})
@AutoConfigureTestDatabase(replace = AutoConfigureTestDatabase.Replace.NONE)
@AutoConfigureWaybill
class SliceTest {
    @Autowired
    private AppendedEvents events;

    @Autowired
    private TransactionalOutbox outbox;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry properties) {
        String database = SharedServers.freshDatabase();
        properties.add("spring.datasource.url", () -> database);
    }

    @Test
    void aSliceCanAppendAndReadEvents() {
        outbox.append(Event.of("order.placed", "Order", "1", "{}"));

        assertThat(events).appended("order.placed").forKey("1").once();
    }

    @SpringBootApplication
    static class App {}
}
