package io.waybill.jdbc;

import io.waybill.testkit.store.StoreBackend;
import io.waybill.testkit.store.StoreContract;

class PostgresJournalStoreTest extends StoreContract {
    @Override
    protected StoreBackend open() {
        return PostgresBackend.journal();
    }
}
