package io.waybill.server.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: {@code 1000000}, {@code 900kB}, {@code 1MB}, {@code 1MiB}. */
public final class Sizes {
    static final String EXPECTS = "a size such as 1000000, 900kB, 1MB or 1MiB";

    private static final Pattern FORM = Pattern.compile("(\\d{1,10})\\s*(b|bytes|kb|kib|mb|mib)?");

    private Sizes() {}

    static int parse(String text) {
        Matcher form = FORM.matcher(text.replace("_", "").toLowerCase(Locale.ROOT));
        if (!form.matches()) {
            throw new IllegalArgumentException(text);
        }
        long amount = Long.parseLong(form.group(1));
        String unit = form.group(2) == null ? "b" : form.group(2);
        long bytes = amount
                * switch (unit) {
                    case "kb" -> 1_000L;
                    case "kib" -> 1_024L;
                    case "mb" -> 1_000_000L;
                    case "mib" -> 1_048_576L;
                    default -> 1L;
                };
        if (bytes < 1 || bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(text);
        }
        return (int) bytes;
    }

    /** The shortest exact form. */
    public static String print(long bytes) {
        if (bytes >= 1_000_000 && bytes % 1_000_000 == 0) {
            return bytes / 1_000_000 + "MB";
        }
        return bytes >= 1_000 && bytes % 1_000 == 0 ? bytes / 1_000 + "kB" : bytes + " bytes";
    }
}
