package io.waybill.nats;

import io.waybill.testkit.transport.BreakableNats;
import java.nio.file.Path;

/** A NATS server that tests may break, and this module's transport to it. */
final class Breakable {
    private Breakable() {}

    static BreakableNats nats(Path folder) {
        return new BreakableNats(
                folder,
                (address, timeout) ->
                        NatsTransport.builder(address).sendTimeout(timeout).build());
    }
}
