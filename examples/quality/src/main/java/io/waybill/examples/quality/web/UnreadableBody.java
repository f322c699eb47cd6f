package io.waybill.examples.quality.web;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.springframework.http.converter.HttpMessageNotReadableException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** Describes why a body cannot be read as the JSON that a route expects, without internal class names or the client's text. */
final class UnreadableBody {
    private UnreadableBody() {}

    static String reason(HttpMessageNotReadableException e) {
        Throwable cause = e.getCause();
        if (cause instanceof UnrecognizedPropertyException unknown) {
            return "There is no field " + unknown.getPropertyName() + " here. Fields: "
                    + unknown.getKnownPropertyIds().stream()
                            .map(Object::toString)
                            .sorted()
                            .collect(Collectors.joining(", "))
                    + ".";
        }
        if (cause instanceof InvalidFormatException format
                && format.getTargetType().isEnum()) {
            return "Field " + field(format) + " " + noneOf(format.getTargetType());
        }
        if (cause instanceof DatabindException bind && !bind.getPath().isEmpty()) {
            return "Field " + field(bind) + " has the wrong type or form.";
        }
        if (cause instanceof InputCoercionException) {
            return "A number in the body is out of range.";
        }
        if (cause instanceof StreamReadException read) {
            return "The body is not well-formed JSON, in line "
                    + read.getLocation().getLineNr() + ", column "
                    + read.getLocation().getColumnNr() + ".";
        }
        return "The body must be a JSON object.";
    }

    static String noneOf(Class<?> choices) {
        return "is none of "
                + Arrays.stream(choices.getEnumConstants())
                        .map(each -> each.toString().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(", "))
                + ".";
    }

    private static String field(JacksonException e) {
        return e.getPath().stream()
                .map(JacksonException.Reference::getPropertyName)
                .collect(Collectors.joining("."));
    }
}
