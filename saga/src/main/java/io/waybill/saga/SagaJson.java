package io.waybill.saga;

import io.waybill.WaybillException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Writes and reads the data of sagas and the payloads of commands as JSON. */
public final class SagaJson {
    /** Ignores unknown fields, so that an older program can read what a newer one has written. */
    public static final SagaJson DEFAULT = new SagaJson(JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build());

    private final JsonMapper mapper;

    private SagaJson(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** Uses a mapper of the application, which must be able to read the data that is already stored. */
    public static SagaJson with(JsonMapper mapper) {
        return new SagaJson(mapper);
    }

    /** Returns the object as JSON. A String is taken for JSON text and returned unchanged. */
    public String write(Object value) {
        if (value instanceof String text) {
            return text;
        }
        try {
            return mapper.writeValueAsString(value);
        } catch (JacksonException e) {
            throw new WaybillException(
                    "Cannot write " + value.getClass().getName() + " as JSON: " + e.getOriginalMessage(), e);
        }
    }

    public <R> R read(String json, Class<R> type) {
        if (type == String.class) {
            return type.cast(json);
        }
        try {
            return mapper.readValue(json, type);
        } catch (JacksonException e) {
            throw new WaybillException("Cannot read " + type.getName() + " from JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** Returns a field of an object as text; empty if the field is missing or null. */
    public String text(String json, String field) {
        JsonNode value = tree(json).path(field);
        return value.isMissingNode() || value.isNull() ? "" : value.asString();
    }

    public JsonNode tree(String json) {
        try {
            return mapper.readTree(json);
        } catch (JacksonException e) {
            throw new WaybillException("Not valid JSON: " + e.getOriginalMessage(), e);
        }
    }
}
