package io.waybill.acceptance.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.inbox.FollowUps;
import io.waybill.inbox.Inbox;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.kafka.KafkaInbox;
import io.waybill.testkit.servers.SharedServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The example of docs/inbox.md works. */
class InboxExampleTest {
    @Test
    void theExampleWorks() {
        try (InboxScenario scenario = new InboxScenario()) {
            Event event = Event.of("order.placed", "Order", "42", "{}");
            scenario.publish(List.of(event));
            try (KafkaInbox consumer = example(scenario.dataSource(), JdbcOutbox.create())) {
                consumer.start();
                await().atMost(Duration.ofMinutes(4))
                        .until(() -> scenario.number(
                                        "SELECT count(*) FROM processed_events WHERE event_id = '" + event.id() + "'")
                                == 1);
            }
            assertThat(scenario.number("SELECT count(*) FROM outbox_events WHERE event_type = 'stock.reserved'"
                            + " AND headers->>'causation-id' = '" + event.id() + "'"))
                    .isEqualTo(1);
        }
    }

    private static KafkaInbox example(DataSource dataSource, Outbox<Connection> outbox) {
        Inbox<Connection> inbox = Inbox.builder(JdbcInbox.on(dataSource).store(), "stock")
                .on("order.placed", (connection, event) -> {
                    reserve(connection, event.payload());
                    FollowUps.of(event, outbox)
                            .append(connection, Event.of("stock.reserved", "Stock", event.key(), "{}"));
                })
                .deadLettersTo(outbox)
                .build();
        return KafkaInbox.builder(SharedServers.kafka().bootstrapServers(), inbox)
                .build();
    }

    private static void reserve(Connection connection, String payload) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO applied (grp, key) VALUES ('stock', '" + payload + "')");
        }
    }

    /** Except for the address, the code above equals the example of the page. */
    @Test
    void theExampleEqualsTheOneInTheGuide() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "inbox.md"));
        Matcher block = Pattern.compile("```java\\n(.*?)KafkaInbox consumer", Pattern.DOTALL)
                .matcher(page);
        assertThat(block.find()).isTrue();
        String source = Files.readString(
                Path.of("src", "test", "java", "io", "waybill", "acceptance", "inbox", "InboxExampleTest.java"));
        assertThat(source.replaceAll("\\s", "")).contains(block.group(1).replaceAll("\\s", ""));
    }
}
