package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.testkit.servers.SharedServers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** The attributes of an {@link InboxHandler}, which replace the settings of the group. */
@SuppressWarnings("NullAway.Init")
class HandlerSettingsTest {
    private static ConfigurableApplicationContext application;
    private static JdbcTemplate jdbc;

    @BeforeAll
    static void start() {
        application = Apps.run(
                App.class,
                SharedServers.freshDatabase(),
                Apps.WITHOUT_JPA,
                "waybill.schema=apply",
                "waybill.inbox.retry.max-attempts=3",
                "waybill.inbox.retry.first-delay=10ms");
        jdbc = application.getBean(JdbcTemplate.class);
        jdbc.execute("CREATE TABLE seen (what varchar(40))");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void eachTypeHasItsOwnNumberOfAttempts() {
        append("fails.once");
        append("fails.by.default");
        assertThat(deadLetter("fails.once")).containsEntry("attempts", 1);
        assertThat(deadLetter("fails.by.default")).containsEntry("attempts", 3);
    }

    @Test
    void aLaterAttemptUsesTheBackoffOfTheHandler() {
        append("backs.off");
        await().atMost(Duration.ofMinutes(4))
                .until(() -> jdbc.queryForList(
                                        "SELECT event_type FROM inbox_held"
                                                + " WHERE event_type = 'backs.off' AND next_attempt_at > now() + interval '1 minute'")
                                .size()
                        == 1);
    }

    @Test
    void aStatementEndsAtTheTimeLimitOfItsHandler() {
        append("sleeps.too.long");
        assertThat(deadLetter("sleeps.too.long")).containsEntry("error_class", QueryTimeoutException.class.getName());
    }

    @Test
    void theTimeLimitOfOneHandlerDoesNotApplyToTheNext() {
        append("two.handlers");
        await().atMost(Duration.ofMinutes(4))
                .until(() ->
                        jdbc.queryForList("SELECT what FROM seen", String.class).contains("after the limit"));
    }

    @Test
    void handlersOfOneTypeCannotDisagreeAboutAttempts() {
        assertThatThrownBy(() -> Apps.run(
                                Disagreeing.class,
                                SharedServers.freshDatabase(),
                                Apps.WITHOUT_JPA,
                                "waybill.schema=apply")
                        .close())
                .rootCause()
                .hasMessageContaining(
                        "The handlers of event type order.placed set different values of maxAttempts: [2, 3]");
    }

    @Test
    void aMistypedDurationFailsTheStart() {
        assertThatThrownBy(() -> Apps.run(
                                Mistyped.class, SharedServers.freshDatabase(), Apps.WITHOUT_JPA, "waybill.schema=apply")
                        .close())
                .hasMessageContaining("MistypedHandler.handle has timeout = \"ten seconds\"")
                .hasMessageContaining("Write it as 500ms, 10s or 2m.");
    }

    private static void append(String type) {
        application
                .getBean(TransactionTemplate.class)
                .executeWithoutResult(status ->
                        application.getBean(TransactionalOutbox.class).append(Event.of(type, "Order", type, "{}")));
    }

    private static Map<String, Object> deadLetter(String type) {
        await().atMost(Duration.ofMinutes(4))
                .until(() -> jdbc.queryForList("SELECT event_id FROM inbox_dead_letters WHERE event_type = ?", type)
                                .size()
                        == 1);
        return jdbc.queryForMap("SELECT attempts, error_class FROM inbox_dead_letters WHERE event_type = ?", type);
    }

    @EnableAutoConfiguration
    @Import(Handlers.class)
    static class App {}

    static class Handlers {
        private final JdbcTemplate jdbc;

        Handlers(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @InboxHandler(value = "fails.once", maxAttempts = 1)
        void once() {
            throw new IllegalStateException("fails");
        }

        @InboxHandler("fails.by.default")
        void byDefault() {
            throw new IllegalStateException("fails");
        }

        @InboxHandler(value = "backs.off", backoff = "1h")
        void backsOff() {
            throw new IllegalStateException("fails");
        }

        @InboxHandler(value = "sleeps.too.long", timeout = "1s", maxAttempts = 1)
        void sleeps() {
            jdbc.execute("SELECT pg_sleep(60)");
        }

        @Order(1)
        @InboxHandler(value = "two.handlers", timeout = "1s", maxAttempts = 1)
        void limited() {
            jdbc.execute("SELECT 1");
        }

        @Order(2)
        @InboxHandler("two.handlers")
        void unlimited() {
            jdbc.execute("SELECT pg_sleep(2)");
            jdbc.update("INSERT INTO seen VALUES ('after the limit')");
        }
    }

    @EnableAutoConfiguration
    @Import({Two.class, Three.class})
    static class Disagreeing {}

    static class Two {
        @InboxHandler(value = "order.placed", maxAttempts = 2)
        void handle() {}
    }

    static class Three {
        @InboxHandler(value = "order.placed", maxAttempts = 3)
        void handle() {}
    }

    @EnableAutoConfiguration
    @Import(MistypedHandler.class)
    static class Mistyped {}

    static class MistypedHandler {
        @InboxHandler(value = "order.placed", timeout = "ten seconds")
        void handle() {}
    }
}
