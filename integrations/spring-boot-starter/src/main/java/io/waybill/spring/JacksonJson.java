package io.waybill.spring;

import java.lang.reflect.Type;
import tools.jackson.databind.json.JsonMapper;

/** The application's own mapper when it has one, so that events look like its HTTP bodies. */
final class JacksonJson implements PayloadJson {
    private final JsonMapper mapper;

    JacksonJson(JsonMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public String write(Object data) {
        return mapper.writeValueAsString(data);
    }

    @Override
    public Object read(String json, Type type) {
        return mapper.readValue(json, mapper.constructType(type));
    }
}
