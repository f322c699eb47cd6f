package io.waybill.testkit.saga;

import io.waybill.saga.participant.CommandStore;
import io.waybill.saga.store.SagaStore;
import java.time.Duration;

/**
 * A new, empty saga store on a real database, for {@link SagaStoreContract}.
 *
 * @param <T> the type of a transaction
 */
public interface SagaBackend<T> extends AutoCloseable {
    SagaStore<T> store();

    /** The commands of participants in the same database. */
    CommandStore<T> commands();

    /** Simulates that time has passed: moves every recorded time this far into the past, or the clock into the future. */
    void age(Duration time);

    @Override
    void close();
}
