package io.waybill.spring;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.lang.reflect.Type;
import org.springframework.context.ApplicationEvent;
import tools.jackson.databind.json.JsonMapper;

/** The application's own mapper when it has one, so that events look like its HTTP bodies. */
final class JacksonJson implements PayloadJson {
    private final JsonMapper mapper;

    JacksonJson(JsonMapper mapper) {
        // An ApplicationEvent refers to its source, a bean as a rule, and to the time when it was made, which the event
        // has itself.
        this.mapper = mapper.rebuild()
                .addMixIn(ApplicationEvent.class, WithoutSource.class)
                .build();
    }

    @JsonIgnoreProperties({"source", "timestamp"})
    private interface WithoutSource {}

    @Override
    public String write(Object data) {
        return mapper.writeValueAsString(data);
    }

    @Override
    public Object read(String json, Type type) {
        return mapper.readValue(json, mapper.constructType(type));
    }
}
