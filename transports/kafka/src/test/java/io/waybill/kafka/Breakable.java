package io.waybill.kafka;

import io.waybill.testkit.transport.BreakableKafka;
import java.nio.file.Path;

/** A Kafka that tests may break, and this module's transport to it. */
final class Breakable {
    private Breakable() {}

    static BreakableKafka kafka(Path folder) {
        return new BreakableKafka(
                folder,
                (address, timeout) ->
                        KafkaTransport.builder(address).sendTimeout(timeout).build());
    }
}
