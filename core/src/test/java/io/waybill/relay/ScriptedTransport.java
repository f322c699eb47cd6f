package io.waybill.relay;

import io.waybill.WaybillException;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Reports the scripted result at once, on the sending thread, and records the sent messages in order. */
class ScriptedTransport implements Transport {
    final List<String> sent = new ArrayList<>();
    final Map<String, Failure> failures = new HashMap<>();
    boolean down;
    Consumer<Message> beforeAnswer = message -> {};

    @Override
    public void send(Message message, Delivery delivery) {
        String name = message.headers().get("name");
        sent.add(name);
        beforeAnswer.accept(message);
        Failure failure = failures.get(name);
        if (failure == null) {
            delivery.acknowledged();
        } else {
            delivery.failed(failure);
        }
    }

    @Override
    public void probe() {
        if (down) {
            throw new WaybillException("down");
        }
    }

    @Override
    public void close() {}
}
