package io.waybill.jdbc;

import io.waybill.testkit.store.OperatorContract;
import io.waybill.testkit.store.StoreBackend;

class MySqlQueueOperatorTest extends OperatorContract {
    @Override
    protected StoreBackend open() {
        return MySqlDatabase.queue();
    }
}
