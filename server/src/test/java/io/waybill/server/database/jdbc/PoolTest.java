package io.waybill.server.database.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.testkit.servers.SharedServers;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class PoolTest {
    private final AtomicBoolean broken = new AtomicBoolean();

    /** Regression test: a relay that started while its database was stopping never recovered. */
    @Test
    void thePoolRecoversWhenItsFirstConnectionBreaks() throws SQLException {
        PGSimpleDataSource postgres = new PGSimpleDataSource();
        postgres.setUrl(SharedServers.postgres().jdbcUrl());
        try (HikariDataSource pool = JdbcDatabase.pool(breaking(postgres), 2, true);
                Connection connection = pool.getConnection()) {
            assertThat(broken).isTrue();
            assertThat(connection.isValid(5)).isTrue();
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
        }
    }

    private DataSource breaking(DataSource source) {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Object result = invoke(source, method, arguments);
                    return result instanceof Connection connection ? breaking(connection) : result;
                });
    }

    /** The first query of the pool fails. */
    private Connection breaking(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getTransactionIsolation") && broken.compareAndSet(false, true)) {
                        throw new SQLException("An I/O error occurred while sending to the backend.", "08006");
                    }
                    return invoke(connection, method, arguments);
                });
    }

    private static Object invoke(Object target, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
