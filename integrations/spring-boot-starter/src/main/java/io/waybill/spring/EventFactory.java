package io.waybill.spring;

import static java.util.Objects.requireNonNull;

import io.waybill.Event;
import io.waybill.WaybillException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ExpressionParser;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** Creates events from the application's own objects. */
public final class EventFactory {
    private final PayloadJson json;
    private final ExpressionParser expressions = new SpelExpressionParser();

    public EventFactory(PayloadJson json) {
        this.json = json;
    }

    /**
     * @param key the aggregate's id, as text
     * @param data the payload: a string that is JSON, or any object, which is written as JSON
     */
    public Event create(String type, String aggregateType, Object key, Object data) {
        return builder(type, aggregateType, key, data).build();
    }

    /** As {@link #create}, for an event with headers, versions or a topic. */
    public Event.Builder builder(String type, String aggregateType, Object key, Object data) {
        requireNonNull(data, "data");
        return Event.builder(type, aggregateType, requireNonNull(key, "key").toString())
                .payload(data instanceof String text ? text : json.write(data));
    }

    /** Returns the event that an object of a {@link PublishViaOutbox} class describes. */
    public Event of(Object source) {
        PublishViaOutbox rule = AnnotatedElementUtils.findMergedAnnotation(source.getClass(), PublishViaOutbox.class);
        if (rule == null) {
            throw new WaybillException(
                    source.getClass().getName()
                            + " is not annotated with @PublishViaOutbox. Annotate it, or call create with type, aggregate and key.");
        }
        Object key = value(source, "key", rule.key());
        Event.Builder event =
                builder(rule.type(), rule.aggregate(), key, source).version(rule.version());
        if (!rule.aggregateVersion().isEmpty()) {
            Object version = value(source, "aggregateVersion", rule.aggregateVersion());
            event.aggregateVersion(Long.parseLong(version.toString()));
        }
        if (!rule.topic().isEmpty()) {
            event.topic(rule.topic());
        }
        return event.build();
    }

    private Object value(Object source, String attribute, String expression) {
        String where = "@PublishViaOutbox(" + attribute + " = \"" + expression + "\") on "
                + source.getClass().getName();
        @Nullable Object value;
        try {
            value = expressions.parseExpression(expression).getValue(source);
        } catch (ParseException | EvaluationException e) {
            throw new WaybillException(
                    where + " cannot be evaluated: " + e.getMessage() + " Name a property of the event.", e);
        }
        if (value == null) {
            throw new WaybillException(where + " is null for " + source + ". An event needs a value.");
        }
        return value;
    }
}
