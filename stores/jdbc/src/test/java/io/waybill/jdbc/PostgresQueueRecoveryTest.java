package io.waybill.jdbc;

import io.waybill.testkit.store.RecoveryContract;
import io.waybill.testkit.store.StoreBackend;

class PostgresQueueRecoveryTest extends RecoveryContract {
    @Override
    protected StoreBackend open() {
        return new PostgresBackend();
    }
}
