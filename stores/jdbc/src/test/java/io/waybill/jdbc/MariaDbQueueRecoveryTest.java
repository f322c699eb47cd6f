package io.waybill.jdbc;

import io.waybill.testkit.store.RecoveryContract;
import io.waybill.testkit.store.StoreBackend;

class MariaDbQueueRecoveryTest extends RecoveryContract {
    @Override
    protected StoreBackend open() {
        return MariaDbDatabase.queue();
    }
}
