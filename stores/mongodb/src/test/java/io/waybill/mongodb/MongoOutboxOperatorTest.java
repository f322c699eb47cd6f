package io.waybill.mongodb;

import io.waybill.testkit.store.OperatorContract;
import io.waybill.testkit.store.StoreBackend;

class MongoOutboxOperatorTest extends OperatorContract {
    @Override
    protected StoreBackend open() {
        return MongoBackend.open();
    }
}
