package io.waybill.testkit.saga;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Opens a store before each test of a saga contract and closes it afterwards. */
@SuppressWarnings("NullAway.Init") // JUnit calls openBackend before each test
abstract class SagaFixture<T> implements SagaTests<T> {
    private SagaBackend<T> backend;

    /** Opens a new, empty store. The contract calls this before each test and closes it after it. */
    protected abstract SagaBackend<T> open();

    @BeforeEach
    final void openBackend() {
        backend = open();
    }

    @AfterEach
    final void closeBackend() {
        backend.close();
    }

    @Override
    public final SagaBackend<T> backend() {
        return backend;
    }
}
