package io.waybill.server.broker;

import io.waybill.server.Problem;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where a broker is.
 *
 * @param bootstrapServers as Kafka's client wants it
 */
public record BrokerAddress(String bootstrapServers) {
    private static final String SCHEME = "kafka";
    private static final int DEFAULT_PORT = 9092;
    private static final Pattern PLACE = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[\\w.-]+)(?::(\\d{1,5}))?");

    /** Reads {@code kafka://host:port[,host:port…]}, or the same without the scheme. */
    public static BrokerAddress parse(String url) {
        int mark = url.indexOf("://");
        String scheme = mark < 0 ? SCHEME : url.substring(0, mark).toLowerCase(Locale.ROOT);
        if (!scheme.equals(SCHEME)) {
            throw Problem.usage("Cannot use broker '" + url + "': unknown scheme " + scheme
                    + ". Known: kafka (kafka://host:port[,host:port…]).");
        }
        String places = mark < 0 ? url : url.substring(mark + 3);
        return new BrokerAddress(Arrays.stream(places.split(",", -1))
                .map(place -> complete(place.strip(), url))
                .collect(Collectors.joining(",")));
    }

    private static String complete(String place, String url) {
        var parts = PLACE.matcher(place);
        if (!parts.matches()) {
            throw Problem.usage("Cannot read the broker address '" + url + "'. Write kafka://host:port[,host:port…].");
        }
        int port = parts.group(2) == null ? DEFAULT_PORT : Integer.parseInt(parts.group(2));
        if (port < 1 || port > 65_535) {
            throw Problem.usage("The broker address '" + url + "' holds port " + port + ". Ports are 1 to 65535.");
        }
        return parts.group(1) + ":" + port;
    }

    @Override
    public String toString() {
        return bootstrapServers;
    }
}
