package io.waybill.server.config;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 500ms}, {@code 20s}, {@code 1h30m}, {@code 7d}, or ISO-8601. */
public final class Durations {
    public static final String EXPECTS = "a duration such as 500ms, 20s, 15m, 1h, 7d or PT20S, up to 36500d";

    private static final Pattern PART = Pattern.compile("(\\d{1,13})(ms|s|m|h|d)");
    private static final Pattern WHOLE = Pattern.compile("((\\d{1,13})(ms|s|m|h|d))+");

    /** Durations up to this limit fit into a long of nanoseconds; longer ones are mistakes. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Durations() {}

    public static Duration parse(String text) {
        Duration duration = read(text);
        if (duration.isNegative() || duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(text);
        }
        return duration;
    }

    private static Duration read(String text) {
        String compact = text.replace(" ", "").toLowerCase(Locale.ROOT);
        try {
            if (!WHOLE.matcher(compact).matches()) {
                return Duration.parse(text);
            }
            Duration sum = Duration.ZERO;
            Matcher part = PART.matcher(compact);
            while (part.find()) {
                sum = sum.plus(of(Long.parseLong(part.group(1)), part.group(2)));
            }
            return sum;
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    private static Duration of(long amount, String unit) {
        return switch (unit) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
        };
    }

    /** The shortest exact form. */
    public static String print(Duration duration) {
        long millis = duration.toMillis();
        if (millis == 0) {
            return "0s";
        }
        if (millis % 86_400_000 == 0) {
            return millis / 86_400_000 + "d";
        }
        if (millis % 3_600_000 == 0) {
            return millis / 3_600_000 + "h";
        }
        if (millis % 60_000 == 0) {
            return millis / 60_000 + "m";
        }
        return millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
    }
}
