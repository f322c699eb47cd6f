package io.waybill.server.cli.command;

import io.waybill.server.config.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** Formats numbers and ages for people. */
public final class Format {
    private Format() {}

    /** Formats a number with a comma between groups of three digits. */
    public static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** Returns the {@link #age} of something that happened at this time. Zero if the database's clock is ahead. */
    public static String ageSince(Instant time) {
        Duration age = Duration.between(time, Instant.now());
        return age(age.isNegative() ? Duration.ZERO : age);
    }

    /** Formats an age, rounded down to its two largest units, such as {@code 3h20m}. */
    public static String age(Duration age) {
        long seconds = age.toSeconds();
        if (seconds < 1) {
            return age.toMillis() + "ms";
        }
        if (seconds < 60) {
            return seconds + "s";
        }
        if (seconds < 3_600) {
            return seconds / 60 + "m" + (seconds % 60 == 0 ? "" : seconds % 60 + "s");
        }
        if (seconds < 86_400) {
            return seconds / 3_600 + "h" + (seconds % 3_600 < 60 ? "" : seconds % 3_600 / 60 + "m");
        }
        return Durations.print(Duration.ofDays(seconds / 86_400));
    }
}
