package io.waybill.server.daemon;

import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.broker.Brokers;
import io.waybill.transport.Transport;
import java.util.HashMap;
import java.util.Map;

/** One client for each broker and its settings: relays that publish to the same broker share its connections and threads. */
final class Transports implements AutoCloseable {
    private record Key(BrokerAddress broker, Map<String, String> settings) {}

    private final Map<Key, Transport> open = new HashMap<>();
    private final Closeables parts = new Closeables();

    Transport of(Route route) {
        return open.computeIfAbsent(
                new Key(route.broker(), route.configuration().brokerSettings()),
                key -> parts.add(Brokers.transport(route.broker(), route.configuration())));
    }

    @Override
    public void close() {
        parts.close();
    }
}
