package io.waybill.jdbc.internal.admin;

import io.waybill.admin.EventFilter;
import io.waybill.envelope.JsonText;
import io.waybill.jdbc.internal.event.HeaderJson;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A filter as JSON, without its states. */
final class StoredFilter {
    private StoredFilter() {}

    static String json(EventFilter filter) {
        Map<String, String> fields = new LinkedHashMap<>();
        put(fields, "key", filter.key());
        put(fields, "type", filter.type());
        put(fields, "topic", filter.topic());
        put(fields, "error", filter.error());
        put(fields, "trace", filter.traceId());
        put(fields, "olderThan", filter.olderThan());
        put(fields, "youngerThan", filter.youngerThan());
        return JsonText.object(fields);
    }

    static EventFilter parse(String json) {
        Map<String, String> fields = HeaderJson.parse(json);
        return EventFilter.ALL
                .key(fields.get("key"))
                .type(fields.get("type"))
                .topic(fields.get("topic"))
                .error(fields.get("error"))
                .traceId(fields.get("trace"))
                .olderThan(duration(fields.get("olderThan")))
                .youngerThan(duration(fields.get("youngerThan")));
    }

    private static void put(Map<String, String> fields, String name, @Nullable Object value) {
        if (value != null) {
            fields.put(name, value.toString());
        }
    }

    private static @Nullable Duration duration(@Nullable String text) {
        return text == null ? null : Duration.parse(text);
    }
}
