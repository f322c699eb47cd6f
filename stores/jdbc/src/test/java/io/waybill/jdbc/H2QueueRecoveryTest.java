package io.waybill.jdbc;

import io.waybill.testkit.store.RecoveryContract;
import io.waybill.testkit.store.StoreBackend;

class H2QueueRecoveryTest extends RecoveryContract {
    @Override
    protected StoreBackend open() {
        return JdbcBackend.queue(H2Database.fresh());
    }
}
