package io.waybill.acceptance;

import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** Rejects selected messages, sends the others, and counts the attempts of each. */
public record RejectingTransport(
        Transport transport, Map<UUID, Integer> sends, Function<Message, Optional<Failure>> refusal)
        implements Transport {

    @Override
    public void send(Message message, Delivery delivery) {
        sends.merge(message.id(), 1, Integer::sum);
        refusal.apply(message).ifPresentOrElse(delivery::failed, () -> transport.send(message, delivery));
    }

    @Override
    public void probe() {
        transport.probe();
    }

    @Override
    public void close() {
        transport.close();
    }
}
