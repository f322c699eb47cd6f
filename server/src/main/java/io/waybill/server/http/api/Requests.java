package io.waybill.server.http.api;

import io.waybill.admin.Action;
import io.waybill.admin.ActionResult;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import io.waybill.admin.Page;
import io.waybill.server.config.Durations;
import io.waybill.server.http.access.ClientAddress;
import io.waybill.server.http.request.Body;
import io.waybill.server.http.request.Call;
import io.waybill.server.http.request.Refusal;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The parts that requests and responses have in common. */
final class Requests {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int LONGEST_REASON = 1_000;
    private static final int SHORTEST_ID = 8;
    private static final int DEFAULT_PAGE = 100;
    private static final int LARGEST_PAGE = 1_000;
    private static final int LONGEST_FILTER = 1_000;

    private final ClientAddress addresses;

    Requests(ClientAddress addresses) {
        this.addresses = addresses;
    }

    static ObjectNode object() {
        return JSON.createObjectNode();
    }

    /** Reads the action from the body. The actor is the signed-in user, whatever the body contains. */
    Action action(Call call, Body body) {
        String id = body.text("actionId", Action.LONGEST_ID);
        if (id.length() < SHORTEST_ID) {
            throw Refusal.invalid(
                    "actionId", "The field actionId needs at least " + SHORTEST_ID + " characters. Use a UUID.");
        }
        return new Action(call.caller().name(), body.text("reason", LONGEST_REASON), id, origin(call));
    }

    String origin(Call call) {
        return addresses.of(call.context());
    }

    /** Reads the action from a body that has no other fields. */
    Action onlyAction(Call call) {
        Body body = call.body();
        Action action = action(call, body);
        body.requireNoMore();
        return action;
    }

    static int limit(Call call) {
        return call.limit(DEFAULT_PAGE, LARGEST_PAGE);
    }

    static @Nullable String cursor(Call call) {
        return call.cursor().orElse(null);
    }

    static <T> ObjectNode page(Page<T> page, Function<T, ObjectNode> json) {
        return list(page.items(), json).put("next", page.next());
    }

    static <T> ObjectNode list(List<T> items, Function<T, ObjectNode> json) {
        ObjectNode object = object();
        ArrayNode array = object.putArray("items");
        items.forEach(item -> array.add(json.apply(item)));
        return object;
    }

    static ObjectNode outcome(String name, Action action, ActionResult result, String detail) {
        return outcome(name, action, result.events(), result.repeated(), detail);
    }

    static ObjectNode outcome(String name, Action action, List<UUID> changed, boolean repeated, String detail) {
        ObjectNode json = object().put("action", name).put("actionId", action.id());
        ArrayNode events = json.putArray("changed");
        changed.forEach(id -> events.add(id.toString()));
        return json.put("repeated", repeated).put("detail", repeated ? "This action was done before." : detail);
    }

    static EventFilter filter(Call call) {
        return new EventFilter(
                call.queryChoices("state", EventState.class),
                call.query("key").orElse(null),
                call.query("type").orElse(null),
                call.query("topic").orElse(null),
                call.query("error").orElse(null),
                call.query("trace").orElse(null),
                call.queryDuration("olderThan").orElse(null),
                call.queryDuration("youngerThan").orElse(null));
    }

    static EventFilter filter(Body body) {
        EventFilter filter = new EventFilter(
                states(body.list("state", EventState.values().length)),
                body.optionalText("key", LONGEST_FILTER).orElse(null),
                body.optionalText("type", LONGEST_FILTER).orElse(null),
                body.optionalText("topic", LONGEST_FILTER).orElse(null),
                body.optionalText("error", LONGEST_FILTER).orElse(null),
                body.optionalText("trace", LONGEST_FILTER).orElse(null),
                duration(body, "olderThan"),
                duration(body, "youngerThan"));
        body.requireNoMore();
        return filter;
    }

    private static Set<EventState> states(List<String> names) {
        Set<EventState> states = EnumSet.noneOf(EventState.class);
        for (String name : names) {
            try {
                states.add(EventState.valueOf(name));
            } catch (IllegalArgumentException e) {
                throw Refusal.invalid("state", "There is no state " + name + ".");
            }
        }
        return states;
    }

    private static @Nullable Duration duration(Body body, String field) {
        return body.optionalText(field, 50)
                .map(text -> {
                    try {
                        return Durations.parse(text);
                    } catch (RuntimeException e) {
                        throw Refusal.invalid(field, field + " must be " + Durations.EXPECTS + ".");
                    }
                })
                .orElse(null);
    }

    static ObjectNode json(EventFilter filter) {
        ObjectNode json = object();
        if (!filter.states().isEmpty()) {
            ArrayNode states = json.putArray("state");
            filter.states().stream().sorted().forEach(state -> states.add(state.name()));
        }
        put(json, "type", filter.type());
        put(json, "key", filter.key());
        put(json, "topic", filter.topic());
        put(json, "error", filter.error());
        put(json, "trace", filter.traceId());
        put(json, "olderThan", filter.olderThan());
        put(json, "youngerThan", filter.youngerThan());
        return json;
    }

    private static void put(ObjectNode json, String name, @Nullable Object value) {
        if (value != null) {
            json.put(name, value.toString());
        }
    }
}
