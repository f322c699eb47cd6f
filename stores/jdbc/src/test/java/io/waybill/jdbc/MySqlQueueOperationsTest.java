package io.waybill.jdbc;

import io.waybill.testkit.store.OperationsContract;
import io.waybill.testkit.store.StoreBackend;

class MySqlQueueOperationsTest extends OperationsContract {
    @Override
    protected StoreBackend open() {
        return MySqlDatabase.queue();
    }
}
