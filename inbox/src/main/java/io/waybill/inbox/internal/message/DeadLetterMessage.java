package io.waybill.inbox.internal.message;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.envelope.JsonText;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.InProcessTransport;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.internal.StorableText;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/**
 * The message on the dead-letter topic: {@code {eventId, originalEvent, errorMessage, failedAt, consumerService}}, with headers that
 * describe its origin. An original that is not JSON is included as text, one that is not text as base64; the header {@code
 * dead-letter-encoding} names the encoding. An original that is too large is null. The inbox keeps all originals unchanged.
 */
public final class DeadLetterMessage {
    /** A header of every dead letter. {@link InProcessTransport} recognizes dead letters by it. */
    public static final String GROUP = "dead-letter-group";

    static final String TOPIC_SUFFIX = ".dlt";

    private static final int LONGEST_KEY = 255;

    /** Leaves room for other fields and headers below 1 MiB, the default limit of most brokers. */
    private static final int LARGEST_ORIGINAL = 900_000;

    private DeadLetterMessage() {}

    public static Event of(DeadLetter letter, Map<String, String> original, String service) {
        ReceivedMessage message = letter.message();
        Map<String, String> headers = new LinkedHashMap<>();
        String json = original(message.value(), headers);
        if (json.length() > LARGEST_ORIGINAL || json.getBytes(StandardCharsets.UTF_8).length > LARGEST_ORIGINAL) {
            headers.put("dead-letter-encoding", "too large");
            json = "null";
        }
        JsonText body = new JsonText(json.length() + 512)
                .open()
                .field("eventId", letter.eventId().toString())
                .raw("originalEvent", json)
                .field("errorMessage", letter.error())
                .field("failedAt", letter.failedAt().toString())
                .field("consumerService", service)
                .close();
        headers.put(Headers.ENVELOPE, "none");
        headers.put("dead-letter-topic", message.topic());
        headers.put("dead-letter-partition", Integer.toString(message.partition()));
        headers.put("dead-letter-offset", Long.toString(message.offset()));
        headers.put(GROUP, letter.group());
        headers.put("dead-letter-attempts", Integer.toString(letter.attempts()));
        headers.put("dead-letter-error-class", letter.errorClass());
        headers.put(Headers.SOURCE, service);
        headers.put(Headers.CAUSATION_ID, letter.eventId().toString());
        carry(Headers.CORRELATION_ID, original, headers);
        carry(Headers.TRACEPARENT, original, headers);
        carry(Headers.TRACESTATE, original, headers);
        String topic = message.topic() + TOPIC_SUFFIX;
        return Event.builder(topic, "DeadLetter", key(letter))
                .topic(topic)
                .payload(body.toString())
                .headers(headers)
                .build();
    }

    private static void carry(String header, Map<String, String> from, Map<String, String> to) {
        String value = from.get(header);
        if (value != null && value.length() <= LONGEST_KEY && StorableText.isStorable(value)) {
            to.put(header, value);
        }
    }

    private static String key(DeadLetter letter) {
        String key = letter.message().key();
        if (key == null || key.isBlank() || key.length() > LONGEST_KEY || !StorableText.isStorable(key)) {
            return letter.eventId().toString();
        }
        return key;
    }

    private static String original(byte[] value, Map<String, String> headers) {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value))
                    .toString();
        } catch (CharacterCodingException e) {
            headers.put("dead-letter-encoding", "base64");
            return "\"" + Base64.getEncoder().encodeToString(value) + "\"";
        }
        if (isJson(text)) {
            return text;
        }
        headers.put("dead-letter-encoding", "text");
        String quoted = JsonText.object(Map.of("", text));
        return quoted.substring(4, quoted.length() - 1); // {"":"…"}
    }

    /** Whether the text is one JSON value that every database can store. Most reject an unpaired surrogate, even as an escape. */
    private static boolean isJson(String text) {
        try (JsonParser parser = EnvelopeReader.JSON.createParser(ObjectReadContext.empty(), text)) {
            int depth = 0;
            int values = 0;
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                values += depth == 0 ? 1 : 0;
                boolean textual = token == JsonToken.VALUE_STRING || token == JsonToken.PROPERTY_NAME;
                if (textual && !StorableText.isStorable(parser.getString().replace('\0', ' '))) {
                    return false;
                }
            }
            return values == 1;
        } catch (JacksonException e) {
            return false;
        }
    }
}
