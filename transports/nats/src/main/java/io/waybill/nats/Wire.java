package io.waybill.nats;

import io.nats.client.Message;
import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsMessage;
import io.waybill.inbox.ReceivedMessage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A message as NATS carries it: the topic in the subject, behind the stream's name; the event id for de-duplication; the key as a
 * header. Header names and values, and topics, are percent-encoded where NATS would not take them.
 */
final class Wire {
    private static final Pattern EMPTY_WORD = Pattern.compile("^\\.|(?<=\\.)\\.|\\.$");

    private Wire() {}

    /** A topic may hold what separates or stands for words of a subject; dots separate words there as well. */
    static String subject(String prefix, String topic) {
        String encoded = Percent.encode(topic, c -> c != '*' && c != '>');
        return prefix + "." + EMPTY_WORD.matcher(encoded).replaceAll("%2E");
    }

    static String topic(String prefix, String subject) {
        return Percent.decode(subject.startsWith(prefix + ".") ? subject.substring(prefix.length() + 1) : subject);
    }

    static NatsMessage message(String prefix, io.waybill.transport.Message message) {
        Headers headers = new Headers();
        message.headers().forEach((name, value) -> headers.put(Percent.encode(name, c -> c != ':'), value(value)));
        headers.put(io.waybill.Headers.AGGREGATE_ID, value(message.key()));
        return NatsMessage.builder()
                .subject(subject(prefix, message.topic()))
                .headers(headers)
                .data(message.value())
                .build();
    }

    private static String value(String text) {
        return Percent.encode(text, c -> true);
    }

    static ReceivedMessage received(String prefix, Message message) {
        Map<String, String> headers = new LinkedHashMap<>();
        Headers given = message.getHeaders();
        if (given != null) {
            given.forEach((name, values) -> headers.put(Percent.decode(name), Percent.decode(values.get(0))));
        }
        String key = headers.remove(io.waybill.Headers.AGGREGATE_ID);
        String id = headers.remove("Nats-Msg-Id");
        if (id != null) {
            headers.putIfAbsent(io.waybill.Headers.EVENT_ID, id);
        }
        long sequence = message.isJetStream() ? message.metaData().streamSequence() : -1;
        byte[] body = message.getData() == null ? new byte[0] : message.getData();
        return new ReceivedMessage(topic(prefix, message.getSubject()), 0, sequence, key, body, headers);
    }
}
