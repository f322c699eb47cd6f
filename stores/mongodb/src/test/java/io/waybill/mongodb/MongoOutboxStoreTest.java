package io.waybill.mongodb;

import io.waybill.testkit.store.StoreBackend;
import io.waybill.testkit.store.StoreContract;

class MongoOutboxStoreTest extends StoreContract {
    @Override
    protected StoreBackend open() {
        return MongoBackend.open();
    }
}
