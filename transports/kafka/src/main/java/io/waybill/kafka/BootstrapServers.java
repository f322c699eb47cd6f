package io.waybill.kafka;

import io.waybill.WaybillException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the value of {@code bootstrap.servers} by the rules of Kafka's client. */
final class BootstrapServers {
    record Address(String host, int port) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    private static final Pattern ADDRESS =
            Pattern.compile("(?:[0-9a-zA-Z\\-%._]*://)?\\[?([0-9a-zA-Z\\-%._:]+)\\]?:([0-9]{1,5})");

    private BootstrapServers() {}

    static List<Address> parse(String bootstrapServers) {
        List<Address> addresses = Arrays.stream(bootstrapServers.split(",", -1))
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .map(BootstrapServers::address)
                .toList();
        if (addresses.isEmpty()) {
            throw new WaybillException("No Kafka broker is named. Give host:port, and separate several with commas.");
        }
        return addresses;
    }

    private static Address address(String text) {
        Matcher matcher = ADDRESS.matcher(text);
        if (matcher.matches()) {
            int port = Integer.parseInt(matcher.group(2));
            if (port > 0 && port < 65_536) {
                return new Address(matcher.group(1), port);
            }
        }
        throw new WaybillException(
                "\"" + text + "\" is not the address of a Kafka broker. Give host:port, such as kafka-1:9092.");
    }
}
