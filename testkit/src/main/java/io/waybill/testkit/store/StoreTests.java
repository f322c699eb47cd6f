package io.waybill.testkit.store;

import io.waybill.store.OutboxStore;
import java.time.Duration;

/** The outbox under test, as the test interfaces of {@link StoreContract} see it. */
interface StoreTests {
    /** The delay before a retry. */
    Duration DELAY = Duration.ofMinutes(5);

    StoreBackend backend();

    StoreDriver driver();

    default OutboxStore store() {
        return backend().store();
    }
}
