package io.waybill.server.broker;

import io.waybill.internal.Secrets;
import io.waybill.server.problem.Problem;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where a broker is, and of which kind.
 *
 * @param address as the client of that broker wants it; may hold a password
 */
public record BrokerAddress(BrokerKind kind, String address) {
    private static final int DEFAULT_PORT = 9092;
    private static final Pattern PLACE = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[\\w.-]+)(?::(\\d{1,5}))?");

    /** Reads an address whose scheme names the kind; without a scheme it is Kafka's. */
    public static BrokerAddress parse(String url) {
        int mark = url.indexOf("://");
        String scheme = mark < 0 ? "kafka" : url.substring(0, mark).toLowerCase(Locale.ROOT);
        BrokerKind kind = BrokerKind.of(scheme)
                .orElseThrow(() -> Problem.usage("Cannot use broker '" + Secrets.mask(url) + "': unknown scheme "
                        + scheme + ". Known: " + BrokerKind.known() + "."));
        if (kind != BrokerKind.KAFKA) {
            return new BrokerAddress(kind, url);
        }
        String places = mark < 0 ? url : url.substring(mark + 3);
        return new BrokerAddress(
                kind,
                Arrays.stream(places.split(",", -1))
                        .map(place -> complete(place.strip(), url))
                        .collect(Collectors.joining(",")));
    }

    private static String complete(String place, String url) {
        var parts = PLACE.matcher(place);
        if (!parts.matches()) {
            throw Problem.usage("Cannot read the broker address '" + Secrets.mask(url)
                    + "'. Write kafka://host:port[,host:port…].");
        }
        int port = parts.group(2) == null ? DEFAULT_PORT : Integer.parseInt(parts.group(2));
        if (port < 1 || port > 65_535) {
            throw Problem.usage(
                    "The broker address '" + Secrets.mask(url) + "' holds port " + port + ". Ports are 1 to 65535.");
        }
        return parts.group(1) + ":" + port;
    }

    /** For a file that others may read. */
    public String withoutSecrets() {
        return Secrets.strip(address);
    }

    @Override
    public String toString() {
        return Secrets.mask(address);
    }
}
