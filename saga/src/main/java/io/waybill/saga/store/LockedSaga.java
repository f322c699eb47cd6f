package io.waybill.saga.store;

import java.time.Instant;
import java.util.List;

/**
 * A saga whose row is locked until the end of the transaction.
 *
 * @param now the time of the database
 * @param signals the pending signals, in the order in which they were posted
 */
public record LockedSaga(SagaRecord saga, Instant now, List<SagaSignal> signals) {}
