package io.waybill.spring.jpa;

import io.waybill.WaybillException;

/** The part of {@link OutboxEventRepository} that writes. */
public interface SavedOutboxEvents {
    /**
     * Appends a new event in the current transaction, as {@link io.waybill.spring.TransactionalOutbox#append} does: pending changes
     * of JPA are written first, and the database assigns the position.
     *
     * @return the same object; its position and its state are not read back
     * @throws WaybillException if no transaction is active, or if the event is in the outbox already, where it cannot change
     */
    OutboxEvent save(OutboxEvent event);
}
