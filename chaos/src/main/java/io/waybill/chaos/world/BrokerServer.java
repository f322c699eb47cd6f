package io.waybill.chaos.world;

import io.waybill.embedded.LocalKafka;
import io.waybill.testkit.faults.TcpProxy;
import java.util.ArrayList;
import java.util.List;

/**
 * The broker and the links to it.
 *
 * @param link that of the consumers, and of everybody who looks at the world from outside
 * @param relayLinks one for each relay
 */
public record BrokerServer(LocalKafka server, TcpProxy link, List<TcpProxy> relayLinks) {
    public String bootstrapServers() {
        return bootstrapServers(link);
    }

    /** For a relay, by its number from 0. */
    String bootstrapServers(int relay) {
        return bootstrapServers(relayLinks.get(relay));
    }

    /** All of them. */
    public List<TcpProxy> links() {
        List<TcpProxy> all = new ArrayList<>(relayLinks);
        all.add(link);
        return all;
    }

    private static String bootstrapServers(TcpProxy link) {
        return "127.0.0.1:" + link.port();
    }
}
