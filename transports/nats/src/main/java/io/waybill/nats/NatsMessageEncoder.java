package io.waybill.nats;

import io.nats.client.impl.Headers;
import io.nats.client.impl.NatsMessage;
import io.waybill.transport.Message;

/**
 * Encodes an event as a NATS message: the topic becomes the subject and the key a header. Topics, header names and header values are
 * percent-encoded where NATS does not accept them.
 */
final class NatsMessageEncoder {
    private NatsMessageEncoder() {}

    static NatsMessage encode(String stream, Message message) {
        Headers headers = new Headers();
        message.headers()
                .forEach((name, value) -> headers.put(PercentEncoding.encode(name, c -> c != ':'), value(value)));
        headers.put(io.waybill.Headers.AGGREGATE_ID, value(message.key()));
        return NatsMessage.builder()
                .subject(Subjects.subject(stream, message.topic()))
                .headers(headers)
                .data(message.value())
                .build();
    }

    private static String value(String text) {
        return PercentEncoding.encode(text, c -> true);
    }
}
