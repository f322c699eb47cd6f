package io.waybill.acceptance.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.waybill.Event;
import io.waybill.acceptance.LogLines;
import io.waybill.envelope.Envelope;
import io.waybill.inbox.FailureKind;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.PermanentException;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.jdbc.PostgresJournal;
import io.waybill.relay.Relay;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Event types, keys, topics and errors come from outside. They must not forge log lines or contain terminal escapes. */
class LogForgingTest {
    private static final String FORGED = "x\r\n2026-01-01 ERROR all is lost\u2028\u001b[2J\u009b31m\u202e";

    @Test
    void aRelayLogsEachDeadLetterOnOneLine() throws Exception {
        try (InboxScenario scenario = new InboxScenario();
                LogLines log = LogLines.listen()) {
            scenario.append(List.of(Event.builder("order" + FORGED, "Order" + FORGED, "7" + FORGED)
                    .topic("orders" + FORGED)
                    .build()));
            try (Relay relay = Relay.builder(
                            PostgresJournal.on(scenario.dataSource()).store(), new Refusing())
                    .build()) {
                relay.start();
                await().atMost(Duration.ofMinutes(4))
                        .until(() -> !log.warnings().isEmpty());
            }
            assertUnforged(log, "dead letter");
        }
    }

    @Test
    void anInboxLogsEachDeadLetterAndPauseOnOneLine() throws Exception {
        try (InboxScenario scenario = new InboxScenario();
                LogLines log = LogLines.listen()) {
            Inbox<Connection> inbox = scenario.inbox("stock", (connection, event) -> {
                        throw event.key().startsWith("out")
                                ? new IllegalStateException("out" + FORGED)
                                : new PermanentException("hopeless" + FORGED);
                    })
                    .classify(error -> error instanceof IllegalStateException ? FailureKind.SYSTEMIC : null)
                    .onUnknownType(InboxBuilder.Unknown.REFUSE)
                    .build();
            Event odd = Event.of("order" + FORGED, "Order", "7" + FORGED, "{}");
            assertThat(inbox.handle(received(odd))).isEqualTo(InboxOutcome.DEAD_LETTERED);
            assertThat(inbox.handle(received(scenario.event("7", 1)))).isEqualTo(InboxOutcome.DEAD_LETTERED);
            assertThat(inbox.handle(received(scenario.event("out", 2)))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
            assertUnforged(log, "gave up", "pauses");
        }
    }

    private static ReceivedMessage received(Event event) {
        return ReceivedMessage.of(Envelope.standard("test").seal(event));
    }

    private static void assertUnforged(LogLines log, String... expected) {
        assertThat(log.warnings())
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line.chars()
                                .filter(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x202e)
                                .toArray())
                        .as(line)
                        .isEmpty());
        for (String part : expected) {
            assertThat(log.warnings()).anySatisfy(line -> assertThat(line).contains(part, "all is lost"));
        }
    }

    private static final class Refusing implements Transport {
        @Override
        public void send(Message message, Delivery delivery) {
            delivery.failed(Failure.permanent("refused" + FORGED));
        }

        @Override
        public void probe() {}

        @Override
        public void close() {}
    }
}
