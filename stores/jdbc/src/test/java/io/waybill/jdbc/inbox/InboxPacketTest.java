package io.waybill.jdbc.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.admin.EventFilter;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.InnoDb;
import io.waybill.jdbc.JdbcBackend;
import io.waybill.testkit.inbox.Messages;
import java.sql.Connection;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The server closes the connection when a message exceeds its packet limit. The inbox must not treat this as an outage. */
class InboxPacketTest {
    /** MariaDB's default. MySQL's is four times as much. */
    private static final int LIMIT = 16 << 20;

    @ParameterizedTest
    @EnumSource
    void aMessageAboveThePacketLimitBecomesADeadLetterWithoutItsBody(InnoDb database) {
        try (JdbcBackend administrator = database.queue()) {
            String before = administrator.query("SELECT @@GLOBAL.max_allowed_packet");
            administrator.execute("SET GLOBAL max_allowed_packet = " + LIMIT);
            try {
                handle(DatabaseProduct.valueOf(database.name()));
            } finally {
                administrator.execute("SET GLOBAL max_allowed_packet = " + before);
            }
        }
    }

    private static void handle(DatabaseProduct product) {
        try (InboxJdbcBackend backend = InboxJdbcBackend.on(product)) {
            Inbox<Connection> inbox = Inbox.builder(backend.store(), "stock")
                    .on(Messages.TYPE, (connection, event) -> {
                        if (event.key().equals("large")) {
                            throw new IllegalStateException("too large for me");
                        }
                    })
                    .build();
            ReceivedMessage large = Messages.of("large", "x".repeat(LIMIT + (1 << 20)));
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
