package io.waybill.spring;

import io.waybill.saga.Saga;
import java.util.UUID;

/**
 * Starts sagas in the current Spring transaction: that of {@code @Transactional}, of a {@code TransactionTemplate} or of JPA. When the
 * transaction commits, the saga exists and its first commands are delivered; when it rolls back, the saga never existed.
 *
 * <p>A saga that an {@link InboxHandler} starts inherits the correlation and the trace of the handled event. {@link
 * io.waybill.saga.Sagas} has the other methods: results, and the execution of atomic sagas in a transaction of their own.
 */
public interface TransactionalSagas {

    /**
     * @param businessKey starting a second saga of this name with the same key has no effect
     * @return the id of the new saga, or of the one that exists
     * @throws io.waybill.WaybillException when no transaction is active, when it has already committed, is read-only or belongs to
     *     another database, or when the saga cannot be stored; the transaction should roll back
     */
    <D> UUID start(Saga<D> saga, String businessKey, D data);
}
