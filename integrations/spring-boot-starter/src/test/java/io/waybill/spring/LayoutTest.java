package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.testkit.servers.SharedServers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The relay of an application serves an outbox table of the application's own. */
class LayoutTest {
    private static final String TABLE = """
            CREATE TABLE outbox_events (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), aggregate_type varchar(50) NOT NULL,
                aggregate_id uuid NOT NULL, event_type varchar(100) NOT NULL, payload jsonb NOT NULL,
                occurred_at timestamptz DEFAULT now(), status varchar(20) DEFAULT 'PENDING', retry_count int DEFAULT 0,
                next_attempt_at timestamptz DEFAULT now(), last_error text, processed_at timestamptz)""";

    private final String database = SharedServers.freshDatabase();

    private ConfigurableApplicationContext start(String... settings) {
        String[] all = new String[settings.length + 2];
        System.arraycopy(settings, 0, all, 0, settings.length);
        all[settings.length] = Apps.WITHOUT_JPA;
        all[settings.length + 1] = "waybill.schema=apply";
        return Apps.run(App.class, database, all);
    }

    private void execute(String sql) {
        new JdbcTemplate(new DriverManagerDataSource(database)).execute(sql);
    }

    @Test
    void aRowThatTheApplicationInsertsIsPublished() {
        execute(TABLE);
        try (ConfigurableApplicationContext application = start("waybill.layout.name=retry-columns")) {
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
            jdbc.execute("INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, payload)"
                    + " VALUES ('Order', gen_random_uuid(), 'order.placed', '{\"n\": 1}')");
            await("it is handled").until(() -> application.getBean(App.class).handled, List.of("{\"n\": 1}")::equals);
            await("its row is marked")
                    .until(() -> jdbc.queryForList("SELECT status FROM outbox_events", String.class)
                            .equals(List.of("PUBLISHED")));
        }
    }

    @Test
    void anUnknownLayoutIsRefused() {
        assertThatThrownBy(() -> start("waybill.layout.name=retry-colums"))
                .rootCause()
                .hasMessageContaining("retry-colums, which cannot be read")
                .hasMessageContaining("retry-columns");
    }

    @Test
    void aTableThatCannotBeServedIsRefused() {
        assertThatThrownBy(() -> start("waybill.layout.name=retry-columns"))
                .rootCause()
                .hasMessageContaining("There is no table public.outbox_events");
        execute(TABLE.replace("event_type varchar(100) NOT NULL, ", ""));
        assertThatThrownBy(() -> start("waybill.layout.name=retry-columns"))
                .rootCause()
                .hasMessageContaining("The table has no column event_type");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {
        final List<String> handled = new CopyOnWriteArrayList<>();

        @InboxHandler("order.placed")
        void placed(Event event) {
            handled.add(event.payload());
        }
    }
}
