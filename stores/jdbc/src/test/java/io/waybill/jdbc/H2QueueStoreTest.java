package io.waybill.jdbc;

import io.waybill.testkit.store.StoreBackend;
import io.waybill.testkit.store.StoreContract;

class H2QueueStoreTest extends StoreContract {
    @Override
    protected StoreBackend open() {
        return JdbcBackend.queue(H2Database.fresh());
    }
}
