package io.waybill.chaos.cluster;

import io.waybill.embedded.LocalKafka;
import io.waybill.testkit.network.TcpProxy;
import java.util.ArrayList;
import java.util.List;

/**
 * The broker and the proxies to it.
 *
 * @param link the proxy for consumers and for checks
 * @param relayLinks one for each relay
 */
public record BrokerServer(LocalKafka server, TcpProxy link, List<TcpProxy> relayLinks) {
    public String bootstrapServers() {
        return bootstrapServers(link);
    }

    /** The address for a relay, by its number from 0. */
    String bootstrapServers(int relay) {
        return bootstrapServers(relayLinks.get(relay));
    }

    /** Returns all proxies. */
    public List<TcpProxy> links() {
        List<TcpProxy> all = new ArrayList<>(relayLinks);
        all.add(link);
        return all;
    }

    private static String bootstrapServers(TcpProxy link) {
        return "127.0.0.1:" + link.port();
    }
}
