package io.waybill.processes;

import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.util.ArrayList;
import java.util.List;

/** Bugs of a relay in the use of its transport. The checker must find each of them. */
public enum TransportBug {
    NONE {
        @Override
        void send(Transport transport, Message message, Delivery delivery, List<Message> late) {
            transport.send(message, delivery);
        }
    },
    /** An event counts as published as soon as it is handed to the transport. */
    SETTLE_BEFORE_ACK {
        @Override
        void send(Transport transport, Message message, Delivery delivery, List<Message> late) {
            transport.send(message, IGNORED);
            delivery.acknowledged();
        }
    },
    /** An event counts as published before it is handed to the transport, so a crash in between loses it. */
    ACK_BEFORE_SEND {
        @Override
        void send(Transport transport, Message message, Delivery delivery, List<Message> late) {
            delivery.acknowledged();
            late.add(message);
            if (late.size() == 20) {
                late.forEach(m -> transport.send(m, IGNORED));
                late.clear();
            }
        }
    },
    /** A failed event is retried later, and its key continues meanwhile. */
    SKIP_A_FAILED_HEAD {
        @Override
        void send(Transport transport, Message message, Delivery delivery, List<Message> late) {
            transport.send(message, new Delivery() {
                @Override
                public void acknowledged() {
                    delivery.acknowledged();
                    List<Message> again = List.copyOf(late);
                    late.clear();
                    again.forEach(m -> transport.send(m, IGNORED));
                }

                @Override
                public void failed(Failure failure) {
                    late.add(message);
                    delivery.acknowledged();
                }
            });
        }
    };

    private static final Delivery IGNORED = new Delivery() {
        @Override
        public void acknowledged() {}

        @Override
        public void failed(Failure failure) {}
    };

    /** Called by one thread at a time. */
    abstract void send(Transport transport, Message message, Delivery delivery, List<Message> late);

    public Transport in(Transport transport) {
        List<Message> late = new ArrayList<>();
        return new Transport() {
            @Override
            public void send(Message message, Delivery delivery) {
                synchronized (late) {
                    TransportBug.this.send(transport, message, synchronizedOn(late, delivery), late);
                }
            }

            @Override
            public void probe() {
                transport.probe();
            }

            @Override
            public void close() {
                transport.close();
            }
        };
    }

    private static Delivery synchronizedOn(Object lock, Delivery delivery) {
        return new Delivery() {
            @Override
            public void acknowledged() {
                synchronized (lock) {
                    delivery.acknowledged();
                }
            }

            @Override
            public void failed(Failure failure) {
                synchronized (lock) {
                    delivery.failed(failure);
                }
            }
        };
    }
}
