package io.waybill.server.http.api;

import io.waybill.server.http.json.EventJson;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The beginning of a payload, as text in JSON. */
final class PayloadPreview {
    static final int DEFAULT_BYTES = 64 * 1024;
    static final int MOST_BYTES = 1024 * 1024;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private PayloadPreview() {}

    /** @param hash of the event, for a user who may edit it; otherwise null */
    static ObjectNode of(String payload, Mask mask, int most, @Nullable String hash) {
        Mask.Masked masked = mask.apply(payload);
        String shown = beginning(masked.text(), most);
        ObjectNode json = JSON.createObjectNode()
                .put("payload", shown)
                .put("size", payload.getBytes(StandardCharsets.UTF_8).length)
                .put("truncated", shown.length() < masked.text().length())
                .put("json", EventJson.isJson(payload));
        ArrayNode paths = json.putArray("masked");
        masked.paths().forEach(paths::add);
        return json.put("hash", hash);
    }

    /** Cuts between characters: the result has at most this many bytes as UTF-8. */
    private static String beginning(String text, int most) {
        int bytes = 0;
        int end = 0;
        while (end < text.length()) {
            int character = text.codePointAt(end);
            bytes += character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
            if (bytes > most) {
                return text.substring(0, end);
            }
            end += Character.charCount(character);
        }
        return text;
    }
}
