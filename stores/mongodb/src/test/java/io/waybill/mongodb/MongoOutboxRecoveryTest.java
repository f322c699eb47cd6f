package io.waybill.mongodb;

import io.waybill.testkit.store.RecoveryContract;
import io.waybill.testkit.store.StoreBackend;

class MongoOutboxRecoveryTest extends RecoveryContract {
    @Override
    protected StoreBackend open() {
        return MongoBackend.open();
    }
}
