package io.waybill.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.BasicProperties;
import com.rabbitmq.client.Envelope;
import io.waybill.Headers;
import io.waybill.inbox.ReceivedMessage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Decodes an AMQP message for an inbox; the inverse of {@link RabbitMessageEncoder}. */
final class RabbitMessageDecoder {
    private RabbitMessageDecoder() {}

    static ReceivedMessage decode(Envelope envelope, BasicProperties properties, byte[] body) {
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

    /**
     * Returns the same text for the same value in every JVM: the inbox recognises an unreadable message by its headers when it is
     * delivered again.
     */
    private static String text(Object value) {
        if (value instanceof byte[] bytes) {
            return new String(bytes, UTF_8);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(RabbitMessageDecoder::text).toList().toString();
        }
        if (value instanceof Map<?, ?> table) {
            Map<String, String> sorted = new TreeMap<>();
            table.forEach((name, entry) -> sorted.put(String.valueOf(name), text(entry)));
            return sorted.toString();
        }
        return String.valueOf(value);
    }
}
