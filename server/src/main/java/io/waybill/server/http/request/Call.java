package io.waybill.server.http.request;

import io.javalin.http.Context;
import io.waybill.server.config.Durations;
import io.waybill.server.http.request.Refusal.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** One request of the API, and its response. */
public final class Call {
    private static final int LARGEST_BODY = 64 * 1024;
    private static final int LONGEST_PARAMETER = 1_000;

    private final Context context;
    private final Mode mode;
    private final @Nullable Caller caller;

    Call(Context context, Mode mode, @Nullable Caller caller) {
        this.context = context;
        this.mode = mode;
        this.caller = caller;
    }

    /** For responses that are more than JSON, such as streams and cookies. */
    public Context context() {
        return context;
    }

    /** Returns the user. Routes that need a permission always have one. */
    public Caller caller() {
        return signedIn().orElseThrow(() -> Refusal.of(Kind.NOT_SIGNED_IN, "Sign in first."));
    }

    public Optional<Caller> signedIn() {
        return Optional.ofNullable(caller);
    }

    public boolean permits(Permission permission) {
        return caller != null && caller.role().grants(permission) && mode.allows(permission);
    }

    public String path(String name) {
        String value = context.pathParam(name);
        if (value.isEmpty() || value.length() > LONGEST_PARAMETER) {
            throw Refusal.invalid(name, "The part " + name + " of the path is empty or too long.");
        }
        return value;
    }

    /** Returns the part {@code id} of the path. */
    public UUID id() {
        return uuid("id", path("id"));
    }

    private static UUID uuid(String name, String text) {
        try {
            if (text.length() == 36) {
                return UUID.fromString(text);
            }
        } catch (IllegalArgumentException e) {
            // The refusal below concerns this text, too.
        }
        throw Refusal.invalid(name, "'" + text + "' is not an id such as 0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11.");
    }

    public Optional<String> query(String name) {
        List<String> values = context.queryParams(name);
        if (values.size() > 1) {
            throw Refusal.invalid(name, "The parameter " + name + " is given more than once.");
        }
        Optional<String> value = values.stream().findFirst().filter(text -> !text.isEmpty());
        if (value.filter(text -> text.length() > LONGEST_PARAMETER).isPresent()) {
            throw Refusal.invalid(name, "The parameter " + name + " is too long.");
        }
        return value;
    }

    public Optional<UUID> queryId(String name) {
        return query(name).map(text -> uuid(name, text));
    }

    public Optional<Duration> queryDuration(String name) {
        return query(name).map(text -> duration(name, text));
    }

    static Duration duration(String name, String text) {
        try {
            return Durations.parse(text);
        } catch (RuntimeException e) {
            throw Refusal.invalid(name, name + " must be " + Durations.EXPECTS + ".");
        }
    }

    public boolean queryFlag(String name) {
        String text = query(name).orElse("false");
        if (!text.equals("true") && !text.equals("false")) {
            throw Refusal.invalid(name, "The parameter " + name + " must be true or false.");
        }
        return text.equals("true");
    }

    /** Returns the constants that a parameter names, separated by commas; empty if it is missing. */
    public <E extends Enum<E>> Set<E> queryChoices(String name, Class<E> type) {
        return query(name).stream()
                .flatMap(text -> Stream.of(text.split(",", -1)))
                .map(text -> choice(name, text.strip(), type))
                .collect(Collectors.toUnmodifiableSet());
    }

    private static <E extends Enum<E>> E choice(String name, String text, Class<E> type) {
        return Stream.of(type.getEnumConstants())
                .filter(constant -> constant.name().equalsIgnoreCase(text.replace('-', '_')))
                .findFirst()
                .orElseThrow(() -> Refusal.invalid(
                        name,
                        "The parameter " + name + " must be one of "
                                + String.join(
                                        ", ",
                                        Stream.of(type.getEnumConstants())
                                                .map(Enum::name)
                                                .toList())
                                + ", not '" + text + "'."));
    }

    public int limit(int preferred, int most) {
        String text = query("limit").orElse(Integer.toString(preferred));
        try {
            int limit = Integer.parseInt(text);
            if (limit >= 1 && limit <= most) {
                return limit;
            }
        } catch (NumberFormatException e) {
            // The refusal below concerns this text, too.
        }
        throw Refusal.invalid("limit", "The parameter limit must be a whole number from 1 to " + most + ".");
    }

    public Optional<String> cursor() {
        return query("cursor");
    }

    public Body body() {
        return body(LARGEST_BODY);
    }

    /** @param most the largest accepted body, in bytes */
    public Body body(int most) {
        try {
            return Body.read(context.req().getInputStream(), most);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void json(ObjectNode json) {
        json(200, json);
    }

    public void json(int status, ObjectNode json) {
        send(context, status, "application/json; charset=utf-8", json);
    }

    static void send(Context context, int status, String type, ObjectNode json) {
        context.status(status).contentType(type).result(json.toString().getBytes(StandardCharsets.UTF_8));
    }

    public void nothing() {
        context.status(204);
    }
}
