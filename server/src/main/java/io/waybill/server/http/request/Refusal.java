package io.waybill.server.http.request;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** An error that the client sees. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Kind kind;
    private final @Nullable String remedy;
    private final transient List<FieldError> errors;
    private final transient Map<String, String> headers = new LinkedHashMap<>();

    /** The kinds of errors, with the status and the title that a client sees. */
    public enum Kind {
        INVALID(400, "Invalid request"),
        NOT_SIGNED_IN(401, "Not signed in"),
        NOT_ALLOWED(403, "Not allowed"),
        NOT_FOUND(404, "Not found"),
        METHOD(405, "Method not supported"),
        SLOW(408, "Request too slow"),
        CONFLICT(409, "Conflict with the current state"),
        TOO_LARGE(413, "Too large"),
        MEDIA_TYPE(415, "JSON expected"),
        HOST(421, "Unknown host name"),
        TOO_MANY(429, "Too many requests"),
        INTERNAL(500, "Internal error"),
        UNAVAILABLE(503, "Not available");

        private final int status;
        private final String title;

        Kind(int status, String title) {
            this.status = status;
            this.title = title;
        }

        public int status() {
            return status;
        }
    }

    /** An invalid field of the body, or an invalid parameter. */
    public record FieldError(String field, String detail) {}

    private Refusal(
            Kind kind, String detail, @Nullable String remedy, List<FieldError> errors, @Nullable Throwable cause) {
        super(detail, cause);
        this.kind = kind;
        this.remedy = remedy;
        this.errors = List.copyOf(errors);
    }

    public static Refusal of(Kind kind, String detail) {
        return new Refusal(kind, detail, null, List.of(), null);
    }

    public static Refusal of(Kind kind, String detail, String remedy) {
        return new Refusal(kind, detail, remedy, List.of(), null);
    }

    public static Refusal of(Kind kind, String detail, Throwable cause) {
        return new Refusal(kind, detail, null, List.of(), cause);
    }

    public static Refusal invalid(String field, String detail) {
        return new Refusal(Kind.INVALID, detail, null, List.of(new FieldError(field, detail)), null);
    }

    public Refusal header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    public Kind kind() {
        return kind;
    }

    Map<String, String> headers() {
        return headers;
    }

    /** The error as {@code application/problem+json}. */
    public ObjectNode json() {
        ObjectNode json = JSON.createObjectNode()
                .put(
                        "type",
                        "urn:waybill:" + kind.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .put("title", kind.title)
                .put("status", kind.status)
                .put("detail", getMessage());
        if (remedy != null) {
            json.put("remedy", remedy);
        }
        if (!errors.isEmpty()) {
            ArrayNode list = json.putArray("errors");
            errors.forEach(error -> list.addObject().put("field", error.field()).put("detail", error.detail()));
        }
        return json;
    }
}
