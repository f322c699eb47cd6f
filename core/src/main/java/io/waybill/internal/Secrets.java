package io.waybill.internal;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Removes passwords and tokens from addresses and messages before they are printed. It hides too much rather than too little,
 * because malformed addresses are the most likely to appear in an error message.
 */
public final class Secrets {
    public static final String MASK = "********";

    private static final String SECRET_WORDS = "password|passwd|passphrase|pwd|secret|token|credential|api_?key";
    private static final Pattern IN_QUERY =
            Pattern.compile("(?i)([?&;][^=&;?]*(?:" + SECRET_WORDS + ")[^=&;]*=)[^&;]*");
    private static final Pattern NAME = Pattern.compile("(?i)" + SECRET_WORDS + "|jaas\\.config|keystore\\.key");
    private static final Pattern NEXT_ADDRESS = Pattern.compile(",(?=\\s*[a-zA-Z][\\w+.-]*://)");

    /** The address format of Oracle without user and password. */
    private static final Pattern NO_USER = Pattern.compile("jdbc:\\w+:\\w+:@[^@]*");

    private static final Pattern WORD = Pattern.compile("[^\\s'\"]+");

    private Secrets() {}

    /** Whether a setting with this name probably contains a secret. */
    public static boolean isSecret(String name) {
        return NAME.matcher(name).find();
    }

    /** Masks passwords and tokens in one address or several separated by commas. Addresses may be malformed. */
    public static String mask(String url) {
        return NEXT_ADDRESS.splitAsStream(url).map(Secrets::maskOne).collect(Collectors.joining(","));
    }

    /** Removes all secret parts of the address, for files that other users may read. */
    public static String strip(String url) {
        return NEXT_ADDRESS.splitAsStream(url).map(Secrets::stripOne).collect(Collectors.joining(","));
    }

    /** Masks the secrets of all addresses in a text, such as an error message. */
    public static String maskIn(String text) {
        return WORD.matcher(text).replaceAll(word -> {
            String found = word.group();
            boolean address = found.contains("://") || IN_QUERY.matcher(found).find();
            return Matcher.quoteReplacement(address ? mask(found) : found);
        });
    }

    /** Like {@link #maskIn(String)}, and also works if the text contains this address and its password contains white space. */
    public static String maskIn(String text, String url) {
        String masked = url.isEmpty() ? text : text.replace(url, mask(url));
        for (String one : NEXT_ADDRESS.splitAsStream(url).toList()) {
            int at = endOfUser(one);
            String user = at < 0 ? "" : one.substring(startOfUser(one), at);
            masked = user.isEmpty() ? masked : masked.replace(user + "@", MASK + "@");
        }
        return maskIn(masked);
    }

    private static String maskOne(String url) {
        String masked = IN_QUERY.matcher(url).replaceAll("$1" + Matcher.quoteReplacement(MASK));
        int at = endOfUser(masked);
        if (at < 0) {
            return masked;
        }
        int start = startOfUser(masked);
        int colon = masked.indexOf(':', start);
        // A user without a password may be a token.
        String user = start > 0 && colon >= 0 && colon < at ? masked.substring(start, colon + 1) : "";
        return masked.substring(0, start) + user + MASK + masked.substring(at);
    }

    private static String stripOne(String url) {
        String stripped = IN_QUERY.matcher(url).replaceAll("").replaceFirst("^([^?]*)&", "$1?");
        int at = stripped.contains("://") ? endOfUser(stripped) : -1;
        return at < 0 ? stripped : stripped.substring(0, startOfUser(stripped)) + stripped.substring(at + 1);
    }

    private static int startOfUser(String url) {
        int mark = url.indexOf("://");
        return mark < 0 ? 0 : mark + 3;
    }

    /** Returns the index of the @ after user and password, or -1. In a malformed address these may contain any character. */
    private static int endOfUser(String url) {
        if (NO_USER.matcher(url).matches()) {
            return -1;
        }
        int start = startOfUser(url);
        int query = url.indexOf('?', start);
        int at = url.lastIndexOf('@', query < 0 ? url.length() : query);
        if (at < start && query >= 0) {
            int later = url.lastIndexOf('@');
            at = later > query && url.substring(query, later).indexOf('=') < 0 ? later : -1;
        }
        return at < start ? -1 : at;
    }
}
