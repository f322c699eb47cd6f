package io.waybill.faults.crash;

import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.util.List;

/** Reports the crash points of the transport. */
final class CrashingTransport implements Transport {
    private final Transport transport;
    private final Crash crash;

    CrashingTransport(Transport transport, Crash crash) {
        this.transport = transport;
        this.crash = crash;
    }

    @Override
    public void send(Message message, Delivery delivery) {
        crash.sending();
        transport.send(message, counted(delivery));
        crash.reached(CrashPoint.AFTER_SEND);
    }

    @Override
    public int sendInOrder(List<Message> messages, List<Delivery> deliveries) {
        crash.sending();
        int taken = transport.sendInOrder(
                messages, deliveries.stream().map(this::counted).toList());
        for (int i = 0; i < taken; i++) {
            crash.reached(CrashPoint.AFTER_SEND);
        }
        return taken;
    }

    private Delivery counted(Delivery delivery) {
        return new Delivery() {
            @Override
            public void acknowledged() {
                crash.reached(CrashPoint.AFTER_ACK);
                delivery.acknowledged();
            }

            @Override
            public void failed(Failure failure) {
                delivery.failed(failure);
            }
        };
    }

    @Override
    public void flushSoon() {
        transport.flushSoon();
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
