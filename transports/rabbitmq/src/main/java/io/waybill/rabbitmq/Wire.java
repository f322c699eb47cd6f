package io.waybill.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BasicProperties;
import com.rabbitmq.client.Envelope;
import io.waybill.Headers;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.transport.Message;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A message as RabbitMQ carries it: topic as routing key, event id as message id, the key as a header. */
final class Wire {
    private static final int LONGEST_NAME = 255;
    private static final int PERSISTENT = 2;
    /** The other properties, and what stands around each header, generously. */
    private static final int AROUND = 2_048;

    private static final int AROUND_HEADER = 8;

    private Wire() {}

    static AMQP.BasicProperties properties(Message message) {
        Map<String, String> given = message.headers();
        Map<String, Object> headers = new HashMap<>(given);
        headers.put(Headers.AGGREGATE_ID, message.key());
        return new AMQP.BasicProperties.Builder()
                .messageId(message.id().toString())
                .deliveryMode(PERSISTENT)
                .contentType("application/json")
                .type(fitting(given.get(Headers.EVENT_TYPE)))
                .correlationId(fitting(given.get(Headers.CORRELATION_ID)))
                .headers(headers)
                .build();
    }

    /** Properties are short; the header of the same meaning holds the whole text. */
    private static @Nullable String fitting(@Nullable String text) {
        return text == null || text.getBytes(UTF_8).length > LONGEST_NAME ? null : text;
    }

    /** What RabbitMQ would never take, if anything; the header part must fit into one frame. */
    static Optional<String> problem(Message message, long maxBytes, int frameMax) {
        int topic = message.topic().getBytes(UTF_8).length;
        if (topic == 0 || topic > LONGEST_NAME) {
            return Optional.of("its topic has " + topic + " bytes, and a routing key has 1 to " + LONGEST_NAME
                    + ". Use another topic.");
        }
        if (message.value().length > maxBytes) {
            return Optional.of("its body has " + message.value().length + " bytes, at most " + maxBytes
                    + " are accepted. Raise the broker's max_message_size and maxMessageBytes, or make it smaller.");
        }
        long headers = (long) AROUND + message.key().getBytes(UTF_8).length;
        for (Map.Entry<String, String> header : message.headers().entrySet()) {
            int name = header.getKey().getBytes(UTF_8).length;
            if (name > LONGEST_NAME) {
                return Optional.of("the name of its header " + header.getKey().substring(0, 40) + "… has " + name
                        + " bytes, at most " + LONGEST_NAME + " are possible. Use a shorter name.");
            }
            headers += (long) AROUND_HEADER + name + header.getValue().getBytes(UTF_8).length;
        }
        if (headers > frameMax) {
            return Optional.of("its headers have " + headers + " bytes, and a frame has " + frameMax
                    + ". Raise the broker's frame_max, or put large content into the payload.");
        }
        return Optional.empty();
    }

    /** The same text for the same value in every JVM: a message that cannot be read is known by its headers. */
    private static String text(Object value) {
        if (value instanceof byte[] bytes) {
            return new String(bytes, UTF_8);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Wire::text).toList().toString();
        }
        if (value instanceof Map<?, ?> table) {
            Map<String, String> sorted = new TreeMap<>();
            table.forEach((name, entry) -> sorted.put(String.valueOf(name), text(entry)));
            return sorted.toString();
        }
        return String.valueOf(value);
    }

    static ReceivedMessage received(Envelope envelope, BasicProperties properties, byte[] body) {
        Map<String, String> headers = new LinkedHashMap<>();
        if (properties.getHeaders() != null) {
            properties.getHeaders().forEach((name, value) -> {
                if (value != null) {
                    headers.put(name, text(value));
                }
            });
        }
        String key = headers.remove(Headers.AGGREGATE_ID);
        if (properties.getMessageId() != null) {
            headers.putIfAbsent(Headers.EVENT_ID, properties.getMessageId());
        }
        return new ReceivedMessage(envelope.getRoutingKey(), -1, -1, key, body, headers);
    }
}
