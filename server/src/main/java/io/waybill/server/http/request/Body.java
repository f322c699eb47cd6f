package io.waybill.server.http.request;

import io.waybill.server.http.request.Refusal.Kind;
import io.waybill.time.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The JSON object in a request. Unknown, missing and mistyped fields are errors. */
public final class Body {
    private static final Duration LONGEST = Duration.ofSeconds(15);
    private static final int CHUNK = 8_192;
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final JsonNode json;
    private final Set<String> unread;

    private Body(JsonNode json) {
        this.json = json;
        this.unread = new TreeSet<>(json.propertyNames());
    }

    static Body read(InputStream stream, int most) {
        try {
            JsonNode json = JSON.readTree(text(bytes(stream, most)));
            if (json != null && json.isObject()) {
                return new Body(json);
            }
        } catch (JacksonException e) {
            throw Refusal.of(Kind.INVALID, "The body is not valid JSON.", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw Refusal.of(Kind.INVALID, "The body must be a JSON object.");
    }

    /** Limits the time for the whole body. The idle time of the connection limits only the pauses between bytes. */
    private static byte[] bytes(InputStream stream, int most) throws IOException {
        long end = Ticker.SYSTEM.nanos() + LONGEST.toNanos();
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        byte[] chunk = new byte[CHUNK];
        for (int n = stream.read(chunk); n >= 0; n = stream.read(chunk)) {
            read.write(chunk, 0, n);
            if (read.size() > most) {
                throw Refusal.of(Kind.TOO_LARGE, "The body is larger than " + most + " bytes.")
                        .header("Connection", "close");
            }
            if (Ticker.SYSTEM.nanos() - end > 0) {
                throw Refusal.of(Kind.SLOW, "The body did not arrive within " + LONGEST.toSeconds() + " seconds.")
                        .header("Connection", "close");
            }
        }
        return read.toByteArray();
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw Refusal.of(Kind.INVALID, "The body is not valid UTF-8.", e);
        }
    }

    /** Returns a text of 1 to {@code longest} characters that is not blank. */
    public String text(String field, int longest) {
        return optionalText(field, longest)
                .orElseThrow(() -> Refusal.invalid(field, "The field " + field + " is missing."));
    }

    public Optional<String> optionalText(String field, int longest) {
        Optional<String> text = raw(field, longest);
        if (text.filter(String::isBlank).isPresent()) {
            throw Refusal.invalid(field, "The field " + field + " is empty.");
        }
        return text;
    }

    /** Like {@link #optionalText}, but the text may be blank. */
    public Optional<String> raw(String field, int longest) {
        Optional<JsonNode> value = take(field);
        if (value.isEmpty()) {
            return Optional.empty();
        }
        if (!value.get().isString()) {
            throw Refusal.invalid(field, "The field " + field + " must be a text.");
        }
        String text = value.get().stringValue();
        if (text.length() > longest) {
            throw Refusal.invalid(field, "The field " + field + " is longer than " + longest + " characters.");
        }
        return Optional.of(text);
    }

    public <E extends Enum<E>> E choice(String field, Class<E> type) {
        String text = text(field, 50);
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equals(text)) {
                return constant;
            }
        }
        throw Refusal.invalid(field, "The field " + field + " must be one of " + String.join(", ", names(type)) + ".");
    }

    private static <E extends Enum<E>> List<String> names(Class<E> type) {
        return Arrays.stream(type.getEnumConstants()).map(Enum::name).toList();
    }

    public Optional<Integer> number(String field, int least, int most) {
        return take(field).map(value -> {
            if (!value.isIntegralNumber()
                    || !value.canConvertToInt()
                    || value.intValue() < least
                    || value.intValue() > most) {
                throw Refusal.invalid(
                        field, "The field " + field + " must be a whole number from " + least + " to " + most + ".");
            }
            return value.intValue();
        });
    }

    public Optional<Instant> time(String field) {
        return optionalText(field, 50).map(text -> {
            try {
                return Instant.parse(text);
            } catch (DateTimeParseException e) {
                throw Refusal.invalid(field, "The field " + field + " must be a time such as 2027-01-31T12:00:00Z.");
            }
        });
    }

    /** Returns the texts of a JSON object. */
    public Map<String, String> texts(String field, int most) {
        JsonNode value = take(field).orElseThrow(() -> Refusal.invalid(field, "The field " + field + " is missing."));
        Map<String, String> texts = new LinkedHashMap<>();
        if (!value.isObject() || value.size() > most) {
            throw Refusal.invalid(field, "The field " + field + " must be an object with at most " + most + " texts.");
        }
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
            if (!entry.getValue().isString()) {
                throw Refusal.invalid(field, "The field " + field + " must contain texts only.");
            }
            texts.put(entry.getKey(), entry.getValue().stringValue());
        }
        return texts;
    }

    /** Returns an object inside this one. Call {@link #requireNoMore} on it, too. */
    public Body object(String field) {
        JsonNode value = take(field).orElseThrow(() -> Refusal.invalid(field, "The field " + field + " is missing."));
        if (!value.isObject()) {
            throw Refusal.invalid(field, "The field " + field + " must be an object.");
        }
        return new Body(value);
    }

    /** Returns the texts of a JSON array; empty if the field is missing. */
    public List<String> list(String field, int most) {
        Optional<JsonNode> value = take(field);
        if (value.isEmpty()) {
            return List.of();
        }
        if (!value.get().isArray() || value.get().size() > most) {
            throw Refusal.invalid(field, "The field " + field + " must be an array with at most " + most + " texts.");
        }
        List<String> texts = new ArrayList<>();
        for (JsonNode element : value.get()) {
            if (!element.isString()) {
                throw Refusal.invalid(field, "The field " + field + " must contain texts only.");
            }
            texts.add(element.stringValue());
        }
        return texts;
    }

    private Optional<JsonNode> take(String field) {
        unread.remove(field);
        return Optional.ofNullable(json.get(field)).filter(value -> !value.isNull());
    }

    /** @throws Refusal if the object has fields that were not read */
    public void requireNoMore() {
        if (!unread.isEmpty()) {
            String field = unread.iterator().next();
            throw Refusal.invalid(field, "There is no field " + field + " in this request.");
        }
    }
}
