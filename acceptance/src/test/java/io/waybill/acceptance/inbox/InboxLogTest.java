package io.waybill.acceptance.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.acceptance.LogLines;
import io.waybill.envelope.Envelope;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.retry.RetryPolicy;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The log shows why an event fails, and an outage does not flood it. */
class InboxLogTest {
    private static final RetryPolicy THREE = new RetryPolicy(3, Duration.ofMillis(10), Duration.ofMillis(10));

    private static ReceivedMessage message(InboxScenario scenario, String key) {
        return ReceivedMessage.of(Envelope.standard("test").seal(scenario.event(key, 1)));
    }

    @Test
    void eachAttemptIsLoggedAndTheFirstAndTheLastWithAStackTrace() {
        try (InboxScenario scenario = new InboxScenario();
                LogLines log = LogLines.listen()) {
            Inbox<Connection> inbox = scenario.inbox("stock", (connection, event) -> {
                        throw new IllegalStateException("no such product\nGroup forged");
                    })
                    .retry(THREE)
                    .build();
            Event event = scenario.event("key-7", 1);
            inbox.handle(ReceivedMessage.of(Envelope.standard("test").seal(event)));
            Awaitility.await().atMost(Duration.ofMinutes(4)).until(() -> {
                inbox.runDue();
                return scenario.status("stock").deadLetters() == 1;
            });
            List<String> lines = log.about(event.id().toString());
            assertThat(lines).hasSize(3).noneMatch(line -> line.contains("\n"));
            assertThat(lines.get(0))
                    .contains("attempt 1 of 3", "account.changed", "key-7", "no such product", "Next attempt in");
            assertThat(lines.get(1)).contains("attempt 2 of 3");
            assertThat(lines.get(2)).contains("gave up", "after 3 attempts");
            assertThat(log.traced(event.id().toString())).containsExactly(lines.get(0), lines.get(2));
        }
    }

    @Test
    void aGroupWhoseEventsAllFailDoesNotFloodTheLog() {
        try (InboxScenario scenario = new InboxScenario();
                LogLines log = LogLines.listen()) {
            Inbox<Connection> inbox = scenario.inbox("flooding", (connection, event) -> {
                        throw new IllegalStateException("everything fails");
                    })
                    .pauseAfter(1_000)
                    .retry(new RetryPolicy(3, Duration.ofMinutes(1), Duration.ofMinutes(1)))
                    .build();
            for (int key = 1; key <= 200; key++) {
                inbox.handle(message(scenario, "key-" + key));
            }
            assertThat(log.about("Group flooding")).hasSizeBetween(10, 150);
        }
    }
}
