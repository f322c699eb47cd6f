package io.waybill.jdbc;

import io.waybill.testkit.store.RecoveryContract;
import io.waybill.testkit.store.StoreBackend;

class MySqlQueueRecoveryTest extends RecoveryContract {
    @Override
    protected StoreBackend open() {
        return MySqlDatabase.queue();
    }
}
