package io.waybill.server.broker;

import io.waybill.internal.Secrets;
import io.waybill.server.problem.Problem;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The kind and the address of a broker.
 *
 * @param address in the form that the client of the broker expects; may contain a password
 */
public record BrokerAddress(BrokerKind kind, String address) {
    private static final int DEFAULT_PORT = 9092;
    private static final Pattern PLACE = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[\\w.-]+)(?::(\\d{1,5}))?");

    /** Parses an address. Its scheme selects the kind of broker; without a scheme, the address is one of Kafka. */
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
            throw Problem.usage("The broker address '" + Secrets.mask(url) + "' has port " + port
                    + ". A port is a number from 1 to 65535.");
        }
        return parts.group(1) + ":" + port;
    }

    /** The address without user and password, for a file that other users may read. */
    public String withoutSecrets() {
        return Secrets.strip(address);
    }

    @Override
    public String toString() {
        return Secrets.mask(address);
    }
}
