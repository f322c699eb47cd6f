package io.waybill.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.testkit.store.ShortStoreContract;
import io.waybill.testkit.store.StoreBackend;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract with MariaDB's driver and a pool whose connections are not in auto-commit mode, like the program's pool. */
@ParameterizedClass
@EnumSource
class InnoDbNoAutoCommitTest extends ShortStoreContract {
    private final List<HikariDataSource> pools = new ArrayList<>();
    private final InnoDb database;

    InnoDbNoAutoCommitTest(InnoDb database) {
        this.database = database;
    }

    @Override
    protected StoreBackend open() {
        HikariDataSource writers = JdbcBackend.database(database.freshForMariaDbDriver(), Engine.QUEUE);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(writers.getJdbcUrl());
        config.setAutoCommit(false);
        HikariDataSource pool = new HikariDataSource(config);
        pools.add(pool);
        return new JdbcBackend(writers, JdbcQueue.on(pool));
    }

    @AfterEach
    void closePools() {
        pools.forEach(HikariDataSource::close);
    }
}
