package io.waybill.spring;

import io.waybill.Event;
import io.waybill.WaybillException;
import java.util.Collection;
import java.util.List;

/**
 * Appends events to the current Spring transaction, whoever began it: {@code @Transactional}, a {@code TransactionTemplate}, JPA.
 * When it commits, its events will be delivered; when it does not, they never existed.
 *
 * <p>What JPA has pending is flushed first, so that the change holds its locks before its event gets its place in the order. An
 * event that is appended while an {@link InboxHandler} runs carries on the correlation and the trace of the handled one.
 */
public interface TransactionalOutbox {

    /**
     * @throws WaybillException when no transaction is active, it has committed already, is read-only or of another database, or the
     *     event cannot be stored; the transaction should roll back
     */
    void append(Collection<Event> events);

    default void append(Event event) {
        append(List.of(event));
    }
}
