package io.waybill.server.http.request;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The names under which browsers may reach this server. With DNS rebinding, a page of another site can make a browser send
 * requests to this server, but only under a name of that site.
 */
public final class HostNames {
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[::1]");
    private static final Pattern HEADER = Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9a-fA-F:.]+])(?::(\\d{1,5}))?");

    private final Set<String> names;

    /** @param names the names in addition to those of the loopback interface */
    public HostNames(Collection<String> names) {
        this.names = names.stream().map(HostNames::plain).collect(Collectors.toUnmodifiableSet());
    }

    private static String plain(String name) {
        return name.strip().toLowerCase(Locale.ROOT);
    }

    /** @param header the header {@code Host}, or the part of an origin after its scheme */
    boolean contains(@Nullable String header) {
        if (header == null) {
            return false;
        }
        Matcher parts = HEADER.matcher(header);
        if (!parts.matches()) {
            return false;
        }
        String name = plain(parts.group(1));
        return LOOPBACK.matcher(name).matches() || names.contains(name);
    }
}
