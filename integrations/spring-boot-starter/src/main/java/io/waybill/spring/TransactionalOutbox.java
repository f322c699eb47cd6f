package io.waybill.spring;

import io.waybill.Event;
import io.waybill.WaybillException;
import java.util.Collection;
import java.util.List;

/**
 * Appends events in the current Spring transaction: that of {@code @Transactional}, of a {@code TransactionTemplate} or of JPA. When
 * the transaction commits, its events are delivered; when it rolls back, they are never published.
 *
 * <p>Pending changes of JPA are flushed first, so that the change holds its row locks before its event gets its position. An event
 * that an {@link InboxHandler} appends inherits the correlation and the trace of the handled event.
 */
public interface TransactionalOutbox {

    /**
     * @throws WaybillException when no transaction is active, when it has already committed, is read-only or belongs to another
     *     database, or when the event cannot be stored; the transaction should roll back
     */
    void append(Collection<Event> events);

    default void append(Event event) {
        append(List.of(event));
    }
}
