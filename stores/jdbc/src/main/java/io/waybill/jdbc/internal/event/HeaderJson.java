package io.waybill.jdbc.internal.event;

import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** Reads the headers column: a JSON object, whose values should be strings but may be anything a writer in SQL put there. */
public final class HeaderJson {
    /** Without limits: the database has checked the syntax, and a row that cannot be read would stop its lane. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private HeaderJson() {}

    public static Map<String, String> parse(String json) {
        Map<String, String> headers = new LinkedHashMap<>();
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return Map.of("headers", json); // no object, but nothing of what was written is dropped
            }
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                if (value.isStructStart()) {
                    int start = (int) parser.currentTokenLocation().getCharOffset();
                    parser.skipChildren();
                    int end = (int) parser.currentLocation().getCharOffset();
                    headers.put(name, json.substring(start, end));
                } else if (value != JsonToken.VALUE_NULL) {
                    headers.put(name, parser.getString());
                }
            }
        }
        return headers;
    }
}
