package io.waybill.server.cli.command;

import io.waybill.server.config.Durations;
import io.waybill.server.problem.Problem;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Parses option values of types that picocli does not support. */
public final class Arguments {
    private Arguments() {}

    public static Duration duration(String option, String text) {
        try {
            return Durations.parse(text);
        } catch (IllegalArgumentException e) {
            throw Problem.usage(option + " must be " + Durations.EXPECTS + ", not '" + text + "'.");
        }
    }

    public static @Nullable Duration optionalDuration(String option, @Nullable String text) {
        return text == null ? null : duration(option, text);
    }

    public static UUID id(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw Problem.usage("'" + text + "' is not an event id. An id is a UUID, such as"
                    + " 0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11; `waybill events` lists them.");
        }
    }

    /** The parameters are texts, because picocli reports a value that it cannot convert as unmatched. */
    public static List<UUID> ids(List<String> texts) {
        return texts.stream().map(Arguments::id).distinct().toList();
    }
}
