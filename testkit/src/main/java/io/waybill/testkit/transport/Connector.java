package io.waybill.testkit.transport;

import io.waybill.transport.Transport;
import java.time.Duration;

/** Builds the transport under test. */
@FunctionalInterface
public interface Connector {
    Transport connect(String address, Duration sendTimeout);
}
