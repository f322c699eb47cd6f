package io.waybill.testkit.store;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Opens an outbox before each test of a store's contract and closes it afterwards. */
abstract class StoreFixture implements StoreTests {
    private StoreBackend backend;
    private StoreDriver driver;

    /** Opens a new, empty outbox. The contract calls this before each test and closes the outbox after it. */
    protected abstract StoreBackend open();

    @BeforeEach
    final void openBackend() {
        backend = open();
        driver = new StoreDriver(backend);
    }

    @AfterEach
    final void closeBackend() {
        backend.close();
    }

    @Override
    public final StoreBackend backend() {
        return backend;
    }

    @Override
    public final StoreDriver driver() {
        return driver;
    }
}
