package io.waybill.nats;

import io.nats.client.Message;
import io.nats.client.impl.Headers;
import io.waybill.inbox.ReceivedMessage;
import java.util.LinkedHashMap;
import java.util.Map;

/** Decodes a NATS message for an inbox; the inverse of {@link NatsMessageEncoder}. */
final class NatsMessageDecoder {
    private NatsMessageDecoder() {}

    static ReceivedMessage decode(String stream, Message message) {
        Map<String, String> headers = new LinkedHashMap<>();
        Headers given = message.getHeaders();
        if (given != null) {
            given.forEach(
                    (name, values) -> headers.put(PercentEncoding.decode(name), PercentEncoding.decode(values.get(0))));
        }
        String key = headers.remove(io.waybill.Headers.AGGREGATE_ID);
        String id = headers.remove("Nats-Msg-Id");
        if (id != null) {
            headers.putIfAbsent(io.waybill.Headers.EVENT_ID, id);
        }
        long sequence = message.isJetStream() ? message.metaData().streamSequence() : -1;
        byte[] body = message.getData() == null ? new byte[0] : message.getData();
        return new ReceivedMessage(Subjects.topic(stream, message.getSubject()), 0, sequence, key, body, headers);
    }
}
