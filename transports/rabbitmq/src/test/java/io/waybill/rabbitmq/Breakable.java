package io.waybill.rabbitmq;

import io.waybill.testkit.transport.BreakableRabbit;

/** A RabbitMQ that tests may break, and this module's transport to it. */
final class Breakable {
    private Breakable() {}

    static BreakableRabbit rabbit() {
        return BreakableRabbit.shared((address, timeout) -> RabbitTransport.builder(address)
                .sendTimeout(timeout)
                .maxMessageBytes(BreakableRabbit.SIZE_LIMIT)
                .build());
    }
}
