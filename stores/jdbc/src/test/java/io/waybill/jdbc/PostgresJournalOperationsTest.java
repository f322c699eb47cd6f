package io.waybill.jdbc;

import io.waybill.testkit.store.OperationsContract;
import io.waybill.testkit.store.StoreBackend;

class PostgresJournalOperationsTest extends OperationsContract {
    @Override
    protected StoreBackend open() {
        return PostgresBackend.journal();
    }
}
