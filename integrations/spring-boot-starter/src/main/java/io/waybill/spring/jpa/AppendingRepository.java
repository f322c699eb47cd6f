package io.waybill.spring.jpa;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.spring.TransactionalOutbox;

/** Appends saved entities through the outbox instead of Hibernate. */
public final class AppendingRepository implements SavedOutboxEvents {
    private final TransactionalOutbox outbox;

    public AppendingRepository(TransactionalOutbox outbox) {
        this.outbox = outbox;
    }

    @Override
    public OutboxEvent save(OutboxEvent event) {
        Event appended = event.appended();
        if (appended == null) {
            throw new WaybillException("Event " + event.getId()
                    + " is in the outbox already, and events do not change. Save a new OutboxEvent.");
        }
        outbox.append(appended);
        return event;
    }
}
