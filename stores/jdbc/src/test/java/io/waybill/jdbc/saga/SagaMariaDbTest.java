package io.waybill.jdbc.saga;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.testkit.saga.SagaBackend;
import io.waybill.testkit.saga.SagaStoreContract;
import java.sql.Connection;

class SagaMariaDbTest extends SagaStoreContract<Connection> {
    @Override
    protected SagaBackend<Connection> open() {
        return SagaJdbcBackend.on(DatabaseProduct.MARIADB);
    }
}
