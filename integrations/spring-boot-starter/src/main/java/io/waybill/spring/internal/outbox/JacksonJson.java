package io.waybill.spring.internal.outbox;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.waybill.spring.PayloadJson;
import java.lang.reflect.Type;
import org.springframework.context.ApplicationEvent;
import tools.jackson.databind.json.JsonMapper;

/** Writes payloads with the application's own mapper, if there is one, so that they have the format of its HTTP bodies. */
final class JacksonJson implements PayloadJson {
    private final JsonMapper mapper;

    JacksonJson(JsonMapper mapper) {
        // The source of an ApplicationEvent is usually a bean, and the event has a timestamp of its own.
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
