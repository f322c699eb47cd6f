package io.waybill.jdbc;

import io.waybill.testkit.store.OperationsContract;
import io.waybill.testkit.store.StoreBackend;

class H2QueueOperationsTest extends OperationsContract {
    @Override
    protected StoreBackend open() {
        return JdbcBackend.queue(H2Database.fresh());
    }
}
