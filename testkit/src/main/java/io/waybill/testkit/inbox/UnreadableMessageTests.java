package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.admin.EventFilter;
import io.waybill.envelope.Envelope;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.PermanentException;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.transport.Message;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Messages that are no event, events of unknown types, and the message on the dead-letter topic. */
interface UnreadableMessageTests<T> extends InboxTests<T> {
    @Test
    default void theDeadLetterMessageHoldsTheOriginalAndItsOrigin() {
        permanentlyFailing().add("a");
        ReceivedMessage message = Messages.of(
                Messages.event("42", "a").header(Headers.CORRELATION_ID, "c-1").build());
        UUID id = giveUp(builder("reserving").service("inventory-service").build(), message);

        assertThat(backend().appended()).hasSize(1);
        Event appended = backend().appended().get(0);
        Message wire = Envelope.standard("inventory").seal(appended);
        assertThat(wire.topic()).isEqualTo("orders.dlt");
        assertThat(wire.key()).isEqualTo("42");
        assertThat(new String(wire.value(), StandardCharsets.UTF_8))
                .matches("\\{\"eventId\":\"" + id + "\",\"originalEvent\":\\Q"
                        + new String(message.value(), StandardCharsets.UTF_8)
                        + "\\E,\"errorMessage\":\"a fails permanently\",\"failedAt\":\"[0-9T:.\\-]+Z\","
                        + "\"consumerService\":\"inventory-service\"\\}");
        assertThat(wire.headers())
                .containsEntry("dead-letter-topic", "orders")
                .containsEntry("dead-letter-partition", "0")
                .containsEntry("dead-letter-offset", Long.toString(message.offset()))
                .containsEntry("dead-letter-group", "reserving")
                .containsEntry("dead-letter-attempts", "1")
                .containsEntry("dead-letter-error-class", PermanentException.class.getName())
                .containsEntry(Headers.CORRELATION_ID, "c-1")
                .containsEntry(Headers.CAUSATION_ID, id.toString())
                .doesNotContainKey(Headers.ENVELOPE);
    }

    @Test
    default void anUnreadableMessageIsADeadLetterAtOnceWithItsOriginalBytes() {
        List<byte[]> poisons = List.of(
                new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1},
                "no json".getBytes(StandardCharsets.UTF_8),
                "{\"half\":".getBytes(StandardCharsets.UTF_8),
                "[1]".getBytes(StandardCharsets.UTF_8),
                "{\"eventId\":\"x\"}".getBytes(StandardCharsets.UTF_8),
                "{\"eventId\":\"x\",\"eventType\":\"a\\u0000b\"}".getBytes(StandardCharsets.UTF_8),
                "{\"eventId\":\"x\",\"eventType\":\"a\\ud800b\"}".getBytes(StandardCharsets.UTF_8),
                new byte[0],
                new byte[300_000], // six times as long when escaped in JSON
                new byte[950_000]);
        for (int i = 0; i < poisons.size(); i++) {
            ReceivedMessage poison =
                    new ReceivedMessage("orders", 1, i, "k\0" + i, poisons.get(i), Map.of("odd", "a\0b"));
            assertThat(inbox().handle(poison)).isEqualTo(InboxOutcome.DEAD_LETTERED);
            assertThat(inbox().handle(poison)).as("redelivered").isEqualTo(InboxOutcome.DUPLICATE);
        }
        List<DeadLetter> letters = backend().deadLetters().list("stock", EventFilter.ALL, 100);
        assertThat(letters).hasSize(poisons.size());
        for (DeadLetter letter : letters) {
            int i = (int) letter.message().offset();
            assertThat(letter.message().value()).isEqualTo(poisons.get(i));
            assertThat(letter.message().headers()).containsEntry("odd", "a\0b");
            assertThat(letter.error()).isNotBlank();
        }
        assertThat(backend().appended()).hasSize(poisons.size());
        assertThat(inbox().handle(Messages.of("k1", "fine"))).isEqualTo(InboxOutcome.PROCESSED);
    }

    /** Messages of a queue have no offset: without properties, only the body distinguishes them. */
    @Test
    default void unreadableMessagesWithoutOffsetsAreDistinguished() {
        for (String body : List.of("no json", "none either", "[".repeat(200_000))) {
            byte[] value = body.getBytes(StandardCharsets.UTF_8);
            ReceivedMessage first = new ReceivedMessage("orders", -1, -1, null, value, Map.of());
            ReceivedMessage again = new ReceivedMessage("orders", -1, -1, null, value, Map.of("x-delivery-count", "1"));
            assertThat(inbox().handle(first)).isEqualTo(InboxOutcome.DEAD_LETTERED);
            assertThat(inbox().handle(again)).as("redelivered").isEqualTo(InboxOutcome.DUPLICATE);
        }
        assertThat(backend().view().status("stock").deadLetters()).isEqualTo(3);
        assertThat(backend().appended()).hasSize(3);
    }

    @Test
    default void theSameIdOnTwoTopicsMeansTwoEvents() {
        byte[] value = ("{\"id\":\"42\",\"type\":\"" + Messages.TYPE + "\",\"payload\":\"a\"}")
                .getBytes(StandardCharsets.UTF_8);
        assertThat(inbox().handle(new ReceivedMessage("orders", 0, 1, "k", value, Map.of())))
                .isEqualTo(InboxOutcome.PROCESSED);
        assertThat(inbox().handle(new ReceivedMessage("payments", 0, 1, "k", value, Map.of())))
                .isEqualTo(InboxOutcome.PROCESSED);
        assertThat(inbox().handle(new ReceivedMessage("orders", 0, 9, "k", value, Map.of())))
                .isEqualTo(InboxOutcome.DUPLICATE);
    }

    @Test
    default void unknownTypesAreSkippedRetriedOrRejectedAndUnknownFieldsIgnored() {
        ReceivedMessage unknown = Messages.of(Event.of("order.exploded", "Order", "1", "{}"));
        assertThat(inbox().handle(unknown)).isEqualTo(InboxOutcome.SKIPPED);
        Inbox<T> strict =
                builder("strict").onUnknownType(InboxBuilder.Unknown.REFUSE).build();
        assertThat(strict.handle(unknown)).isEqualTo(InboxOutcome.DEAD_LETTERED);
        Inbox<T> patient =
                builder("patient").onUnknownType(InboxBuilder.Unknown.RETRY).build();
        assertThat(patient.handle(unknown)).isEqualTo(InboxOutcome.RETRY_SCHEDULED);

        String body = "{\"future\":{\"deep\":[1,{}]},\"eventId\":\"" + UUID.randomUUID() + "\",\"eventType\":\""
                + Messages.TYPE + "\",\"version\":7,\"data\":\"x\",\"metadata\":{\"new\":true},\"more\":null}";
        assertThat(inbox().handle(new ReceivedMessage(
                        "orders", 0, 99, "1", body.getBytes(StandardCharsets.UTF_8), Map.of())))
                .isEqualTo(InboxOutcome.PROCESSED);
        assertThat(backend().ledger()).containsExactly("stock x");
    }
}
