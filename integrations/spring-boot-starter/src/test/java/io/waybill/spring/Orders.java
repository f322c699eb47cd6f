package io.waybill.spring;

import io.waybill.Event;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;

/** A service as users write it. */
class Orders {
    private final JdbcTemplate jdbc;
    private final TransactionalOutbox outbox;
    private final ApplicationEventPublisher publisher;

    Orders(JdbcTemplate jdbc, TransactionalOutbox outbox, ApplicationEventPublisher publisher) {
        this.jdbc = jdbc;
        this.outbox = outbox;
        this.publisher = publisher;
    }

    @PublishViaOutbox(
            type = "order.paid",
            aggregate = "Order",
            key = "orderId",
            aggregateVersion = "revision",
            version = 2,
            topic = "payments")
    record OrderPaid(String orderId, long revision) {}

    @PublishViaOutbox(type = "order.cancelled", aggregate = "Order", key = "orderId")
    static final class OrderCancelled extends ApplicationEvent {
        private static final long serialVersionUID = 1L;
        private final String orderId;

        OrderCancelled(Object source, String orderId) {
            super(source);
            this.orderId = orderId;
        }

        public String getOrderId() {
            return orderId;
        }
    }

    @Transactional
    public void cancel(String id) {
        publisher.publishEvent(new OrderCancelled(this, id));
    }

    @Transactional
    public void place(String id) {
        join(id);
    }

    @Transactional
    public void placeAndFail(String id) {
        join(id);
        throw new IllegalStateException("no");
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void placeOnItsOwn(String id) {
        join(id);
    }

    @Transactional(propagation = Propagation.NESTED)
    public void placeNestedAndFail(String id) {
        join(id);
        throw new IllegalStateException("no");
    }

    @Transactional(readOnly = true)
    public void appendReadOnly(String id) {
        append(id);
    }

    @Transactional
    public void publish(String id) {
        publishOutside(id);
    }

    public void publishOutside(String id) {
        publisher.publishEvent(new OrderPaid(id, 3));
    }

    /** Runs the work in a phase of the transaction's end, by a {@code @TransactionalEventListener}. */
    public void tellAfter(TransactionPhase phase, Runnable work) {
        publisher.publishEvent(new Phases.Ending(phase, work));
    }

    public void join(String id) {
        jdbc.update("INSERT INTO orders VALUES (?)", id);
        append(id);
    }

    public void append(String id) {
        outbox.append(Event.of("order.placed", "Order", id, "{}"));
    }
}
