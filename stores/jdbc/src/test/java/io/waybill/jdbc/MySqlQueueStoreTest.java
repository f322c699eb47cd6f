package io.waybill.jdbc;

import io.waybill.testkit.store.StoreBackend;
import io.waybill.testkit.store.StoreContract;

class MySqlQueueStoreTest extends StoreContract {
    @Override
    protected StoreBackend open() {
        return MySqlDatabase.queue();
    }
}
