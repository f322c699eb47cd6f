package io.waybill.opentelemetry;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Trace contexts as headers of events. */
final class HeaderMap implements TextMapGetter<Map<String, String>> {
    /** The longest baggage that the W3C requires systems to pass on. Longer values would make every message larger than its payload. */
    private static final int LONGEST = 8_192;

    private static final HeaderMap GETTER = new HeaderMap();

    private HeaderMap() {}

    static Map<String, String> of(TextMapPropagator propagator, Context context) {
        Map<String, String> headers = new LinkedHashMap<>();
        propagator.inject(context, headers, (all, name, value) -> {
            if (all != null && value.length() <= LONGEST) {
                all.put(name, value);
            }
        });
        return headers;
    }

    /** Returns the context with what the headers add to it. Malformed headers add nothing. */
    static Context read(TextMapPropagator propagator, Context context, Map<String, String> headers) {
        return propagator.extract(context, headers, GETTER);
    }

    @Override
    @SuppressWarnings("deprecation") // older versions of the API require it
    public Iterable<String> keys(Map<String, String> headers) {
        return headers.keySet();
    }

    @Override
    public @Nullable String get(@Nullable Map<String, String> headers, String name) {
        return headers == null ? null : headers.get(name);
    }
}
