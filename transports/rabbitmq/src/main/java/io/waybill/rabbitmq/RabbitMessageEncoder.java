package io.waybill.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP;
import io.waybill.Headers;
import io.waybill.transport.Message;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Encodes an event as an AMQP message: the topic is the routing key, the event id the message id, and the key a header. */
final class RabbitMessageEncoder {
    private static final int MAX_SHORT_STRING = 255;
    private static final int PERSISTENT = 2;
    /** Upper bound for the encoded size of the other properties. */
    private static final int PROPERTIES_OVERHEAD = 2_048;

    /** Upper bound for the bytes that AMQP adds to each header. */
    private static final int HEADER_OVERHEAD = 8;

    private RabbitMessageEncoder() {}

    static AMQP.BasicProperties properties(Message message) {
        Map<String, String> given = message.headers();
        Map<String, Object> headers = new HashMap<>(given);
        headers.put(Headers.AGGREGATE_ID, message.key());
        return new AMQP.BasicProperties.Builder()
                .messageId(message.id().toString())
                .deliveryMode(PERSISTENT)
                .contentType("application/json")
                .type(shortOrNull(given.get(Headers.EVENT_TYPE)))
                .correlationId(shortOrNull(given.get(Headers.CORRELATION_ID)))
                .headers(headers)
                .build();
    }

    /** Omits a text that is too long for a property: the header of the same meaning contains it in full. */
    private static @Nullable String shortOrNull(@Nullable String text) {
        return text == null || text.getBytes(UTF_8).length > MAX_SHORT_STRING ? null : text;
    }

    /**
     * Returns the reason why RabbitMQ can never accept the message, or an empty result if it can accept it. AMQP sends all headers of a
     * message in one frame, which limits their size.
     */
    static Optional<String> problem(Message message, long maxBytes, int frameMax) {
        int topic = message.topic().getBytes(UTF_8).length;
        if (topic == 0 || topic > MAX_SHORT_STRING) {
            return Optional.of("its topic has " + topic + " bytes, but a routing key must have 1 to " + MAX_SHORT_STRING
                    + ". Use another topic.");
        }
        if (message.value().length > maxBytes) {
            return Optional.of(
                    "its body has " + message.value().length + " bytes, at most " + maxBytes
                            + " are accepted. Raise the broker's max_message_size and maxMessageBytes, or make the body smaller.");
        }
        long headers = (long) PROPERTIES_OVERHEAD + message.key().getBytes(UTF_8).length;
        for (Map.Entry<String, String> header : message.headers().entrySet()) {
            int name = header.getKey().getBytes(UTF_8).length;
            if (name > MAX_SHORT_STRING) {
                return Optional.of("the name of its header " + header.getKey().substring(0, 40) + "… has " + name
                        + " bytes, at most " + MAX_SHORT_STRING + " are allowed. Use a shorter name.");
            }
            headers += (long) HEADER_OVERHEAD + name + header.getValue().getBytes(UTF_8).length;
        }
        if (headers > frameMax) {
            return Optional.of("its headers have " + headers + " bytes, but a frame holds at most " + frameMax
                    + ". Raise the broker's frame_max, or move large content into the payload.");
        }
        return Optional.empty();
    }
}
