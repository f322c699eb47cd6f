package io.waybill.testkit.transport;

import io.waybill.transport.Transport;
import java.time.Duration;

/** Builds a transport to the broker at an address. The contracts know brokers, not transports. */
@FunctionalInterface
public interface Connector {
    Transport connect(String address, Duration sendTimeout);
}
