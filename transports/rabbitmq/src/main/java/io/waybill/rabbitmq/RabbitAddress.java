package io.waybill.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.rabbitmq.client.Address;
import io.waybill.WaybillException;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The nodes, credentials and vhost of {@code rabbitmq://user:password@host:port,host:port/vhost}. */
record RabbitAddress(List<Address> nodes, String user, String password, String vhost, boolean encrypted) {
    private static final Pattern URL =
            Pattern.compile("(?:(rabbitmq|amqp)(s?)://)?(?:([^:@/]*)(?::([^@/]*))?@)?([^@/]+)(?:/([^/]*))?");
    private static final Pattern NODE = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[\\w.-]+)(?::(\\d{1,5}))?");
    private static final int PORT = 5672;
    private static final int ENCRYPTED_PORT = 5671;

    static RabbitAddress parse(String url) {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            throw invalidAddress();
        }
        boolean encrypted = "s".equals(parts.group(2));
        List<Address> nodes = new ArrayList<>();
        for (String node : parts.group(5).split(",", -1)) {
            Matcher place = NODE.matcher(node.strip());
            if (!place.matches()) {
                throw invalidAddress();
            }
            int port = place.group(2) == null ? encrypted ? ENCRYPTED_PORT : PORT : Integer.parseInt(place.group(2));
            if (port < 1 || port > 65_535) {
                throw new WaybillException(
                        "The RabbitMQ address contains port " + port + ". Use a port between 1 and 65535.");
            }
            nodes.add(new Address(place.group(1).replaceAll("[\\[\\]]", ""), port));
        }
        String vhost = parts.group(6);
        return new RabbitAddress(
                List.copyOf(nodes),
                decode(parts.group(3), "guest"),
                decode(parts.group(4), "guest"),
                decode(vhost == null || vhost.isEmpty() ? null : vhost, "/"),
                encrypted);
    }

    private static String decode(@Nullable String part, String otherwise) {
        return part == null ? otherwise : URLDecoder.decode(part.replace("+", "%2B"), UTF_8);
    }

    /** The message does not quote the address, which may contain a password. */
    private static WaybillException invalidAddress() {
        return new WaybillException("Cannot read the RabbitMQ address. Write"
                + " rabbitmq://user:password@host:port[,host:port…]/vhost (rabbitmqs:// for TLS), and"
                + " percent-encode special characters of user, password and vhost.");
    }

    /** Contains neither user nor password. */
    @Override
    public String toString() {
        String places = nodes.stream()
                .map(node -> node.getHost() + ":" + node.getPort())
                .collect(Collectors.joining(","));
        return vhost.equals("/") ? places : places + "/" + vhost;
    }
}
