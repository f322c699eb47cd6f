package io.waybill.server.config;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Keeps secrets out of everything that is printed. */
public final class Secrets {
    public static final String MASK = "********";

    private static final List<String> TELLING =
            List.of("password", "secret", "jaas.config", "token", "credential", "keystore.key");
    private static final Pattern IN_QUERY =
            Pattern.compile("(?i)([?&;][^=&;]*(?:password|secret|token)[^=&;]*=)[^&;]*");
    private static final Pattern IN_AUTHORITY = Pattern.compile("(//[^/@:]*:)[^/@]*@");

    private Secrets() {}

    /** Whether a broker setting of this name is likely to hold one. */
    static boolean isSecret(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return TELLING.stream().anyMatch(lower::contains);
    }

    /** The address without the password that it may carry. */
    public static String mask(String url) {
        String masked = IN_QUERY.matcher(url).replaceAll("$1" + MASK);
        return IN_AUTHORITY.matcher(masked).replaceAll("$1" + MASK + "@");
    }

    /** The address without any parameter that is a secret, for a file that others may read. */
    public static String strip(String url) {
        String stripped = IN_QUERY.matcher(url).replaceAll("").replaceFirst("^([^?]*)&", "$1?");
        return IN_AUTHORITY.matcher(stripped).replaceAll("//");
    }
}
