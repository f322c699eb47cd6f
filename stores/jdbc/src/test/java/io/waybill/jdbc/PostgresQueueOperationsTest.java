package io.waybill.jdbc;

import io.waybill.testkit.store.OperationsContract;
import io.waybill.testkit.store.StoreBackend;

class PostgresQueueOperationsTest extends OperationsContract {
    @Override
    protected StoreBackend open() {
        return new PostgresBackend();
    }
}
