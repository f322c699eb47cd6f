package io.waybill.jdbc.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.admin.EventFilter;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.jdbc.MariaDbDatabase;
import io.waybill.testkit.inbox.Messages;
import java.sql.Connection;
import org.junit.jupiter.api.Test;

/** A message that is larger than MariaDB takes in one packet ends the connection: that looks like an outage, and is none. */
class InboxPacketTest {
    @Test
    void aMessageAboveThePacketLimitIsADeadLetterWithoutItsBody() {
        try (InboxJdbcBackend backend = MariaDbDatabase.inbox()) {
            Inbox<Connection> inbox = Inbox.builder(backend.store(), "stock")
                    .on(Messages.TYPE, (connection, event) -> {
                        if (event.key().equals("large")) {
                            throw new IllegalStateException("too large for me");
                        }
                    })
                    .build();
            ReceivedMessage large = Messages.of("large", "x".repeat(17 << 20));
            assertThat(inbox.handle(large)).isEqualTo(InboxOutcome.DEAD_LETTERED);
            assertThat(inbox.handle(large)).as("redelivered").isEqualTo(InboxOutcome.DUPLICATE);
            assertThat(inbox.handle(Messages.of("small", "x"))).isEqualTo(InboxOutcome.PROCESSED);
            assertThat(backend.deadLetters().list("stock", EventFilter.ALL, 10))
                    .singleElement()
                    .satisfies(letter -> {
                        assertThat(letter.error()).contains("too large for me", "without the body");
                        assertThat(new String(letter.message().value(), java.nio.charset.StandardCharsets.UTF_8))
                                .contains("\"bytes\":" + large.value().length, "sha256");
                    });
        }
    }
}
