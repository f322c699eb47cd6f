package io.waybill.jdbc;

import io.waybill.testkit.store.StoreBackend;
import io.waybill.testkit.store.StoreContract;

class MariaDbQueueStoreTest extends StoreContract {
    @Override
    protected StoreBackend open() {
        return MariaDbDatabase.queue();
    }
}
