package io.waybill.chaos.world;

import io.waybill.embedded.LocalKafka;
import io.waybill.testkit.faults.TcpProxy;

/** The broker, and the one way to it that all relays and consumers share. */
public record Broker(LocalKafka server, TcpProxy link) {
    public String bootstrapServers() {
        return "127.0.0.1:" + link.port();
    }
}
