package io.waybill.server.cli;

import io.waybill.server.Problem;
import io.waybill.server.config.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads values of options that picocli has no type for. */
final class Arguments {
    private Arguments() {}

    static Duration duration(String option, String text) {
        try {
            return Durations.parse(text);
        } catch (IllegalArgumentException e) {
            throw Problem.usage(option + " must be " + Durations.EXPECTS + ", not '" + text + "'.");
        }
    }

    static @Nullable Duration optionalDuration(String option, @Nullable String text) {
        return text == null ? null : duration(option, text);
    }
}
