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

/** Makes events of the application's own objects. */
public final class EventFactory {
    private final PayloadJson json;
    private final ExpressionParser expressions = new SpelExpressionParser();

    EventFactory(PayloadJson json) {
        this.json = json;
    }

    /**
     * @param key the aggregate's id, as text
     * @param data the payload: any object that becomes JSON; a string is JSON already
     */
    public Event create(String type, String aggregateType, Object key, Object data) {
        return builder(type, aggregateType, key, data).build();
    }

    /** {@link #create} for an event that needs more: headers, versions, a topic. */
    public Event.Builder builder(String type, String aggregateType, Object key, Object data) {
        requireNonNull(data, "data");
        return Event.builder(type, aggregateType, requireNonNull(key, "key").toString())
                .payload(data instanceof String text ? text : json.write(data));
    }

    /** The event that an {@link PublishViaOutbox} object describes. */
    public Event of(Object outboxed) {
        PublishViaOutbox rule = AnnotatedElementUtils.findMergedAnnotation(outboxed.getClass(), PublishViaOutbox.class);
        if (rule == null) {
            throw new WaybillException(outboxed.getClass().getName()
                    + " is not annotated with @Outboxed. Annotate it, or" + " name type, aggregate and key yourself.");
        }
        Object key = value(outboxed, "key", rule.key());
        Event.Builder event =
                builder(rule.type(), rule.aggregate(), key, outboxed).version(rule.version());
        if (!rule.aggregateVersion().isEmpty()) {
            Object version = value(outboxed, "aggregateVersion", rule.aggregateVersion());
            event.aggregateVersion(Long.parseLong(version.toString()));
        }
        if (!rule.topic().isEmpty()) {
            event.topic(rule.topic());
        }
        return event.build();
    }

    private Object value(Object outboxed, String attribute, String expression) {
        String where = "@Outboxed(" + attribute + " = \"" + expression + "\") on "
                + outboxed.getClass().getName();
        @Nullable Object value;
        try {
            value = expressions.parseExpression(expression).getValue(outboxed);
        } catch (ParseException | EvaluationException e) {
            throw new WaybillException(
                    where + " cannot be evaluated: " + e.getMessage() + " Name a property of the event.", e);
        }
        if (value == null) {
            throw new WaybillException(where + " gives null for " + outboxed + ". An event needs one.");
        }
        return value;
    }
}
