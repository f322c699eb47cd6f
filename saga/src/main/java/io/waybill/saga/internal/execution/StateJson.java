package io.waybill.saga.internal.execution;

import io.waybill.Event;
import io.waybill.WaybillException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Reads and writes the JSON that the engine itself stores. */
public final class StateJson {
    private static final JsonMapper MAPPER = new JsonMapper();

    private StateJson() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static ObjectNode parse(String json) {
        try {
            return (ObjectNode) MAPPER.readTree(json);
        } catch (JacksonException | ClassCastException e) {
            throw new WaybillException("The stored state of a saga is damaged: " + e.getMessage(), e);
        }
    }

    /**
     * Applies the difference between two objects to a third one.
     *
     * @return null if nothing is to be merged: the third object equals the first one, or one of them is no JSON object
     */
    static @Nullable String merged(String before, String after, String current) {
        if (before.equals(current)) {
            return null;
        }
        JsonNode old = MAPPER.readTree(before);
        JsonNode changed = MAPPER.readTree(after);
        JsonNode now = MAPPER.readTree(current);
        return old instanceof ObjectNode from && changed instanceof ObjectNode to && now instanceof ObjectNode target
                ? merge(from, to, target).toString()
                : null;
    }

    private static ObjectNode merge(ObjectNode from, ObjectNode to, ObjectNode target) {
        for (Map.Entry<String, JsonNode> field : to.properties()) {
            String name = field.getKey();
            JsonNode old = from.get(name);
            if (field.getValue().equals(old)) {
                continue;
            }
            if (old instanceof ObjectNode first
                    && field.getValue() instanceof ObjectNode second
                    && target.get(name) instanceof ObjectNode third) {
                merge(first, second, third);
            } else {
                target.set(name, field.getValue());
            }
        }
        for (String name : from.propertyNames()) {
            if (!to.has(name)) {
                target.remove(name);
            }
        }
        return target;
    }

    /** Returns the steps of a stored saga, in the order of its definition. */
    public static List<StepState> steps(String state) {
        List<StepState> steps = new ArrayList<>();
        for (Map.Entry<String, JsonNode> step : parse(state).path("steps").properties()) {
            steps.add(StepState.read(step.getKey(), (ObjectNode) step.getValue()));
        }
        return steps;
    }

    public static String write(Event event) {
        ObjectNode node = object();
        new StoredEvent(event).write(node);
        return node.toString();
    }

    public static Event readEvent(String json) {
        return StoredEvent.read(parse(json)).event();
    }
}
