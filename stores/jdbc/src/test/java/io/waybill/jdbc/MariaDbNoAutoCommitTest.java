package io.waybill.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.testkit.store.StoreBackend;
import io.waybill.testkit.store.StoreContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Through a pool whose connections commit nothing by themselves, as the program has it. */
class MariaDbNoAutoCommitTest extends StoreContract {
    private final List<HikariDataSource> pools = new ArrayList<>();

    @Override
    protected StoreBackend open() {
        HikariDataSource writers = JdbcBackend.database(SharedServers.freshMariaDb(), Engine.QUEUE);
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
