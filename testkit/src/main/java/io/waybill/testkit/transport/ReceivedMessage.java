package io.waybill.testkit.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;

/** A message that was read from the broker with a plain client. */
public record ReceivedMessage(String key, Map<String, String> headers, byte[] value) {
    public String text() {
        return new String(value, UTF_8);
    }

    @Override
    public String toString() {
        return key + ": " + text();
    }
}
