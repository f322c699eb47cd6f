package io.waybill.jdbc;

import io.waybill.testkit.store.OperatorContract;
import io.waybill.testkit.store.StoreBackend;

class H2QueueOperatorTest extends OperatorContract {
    @Override
    protected StoreBackend open() {
        return JdbcBackend.queue(H2Database.fresh());
    }
}
