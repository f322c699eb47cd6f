package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.store.StoreException;
import io.waybill.testkit.servers.SharedServers;
import java.util.List;
import org.junit.jupiter.api.Test;

class PoolErrorsTest {
    /** The pool's own message says only that it timed out. */
    @Test
    void theErrorOfAPoolWithoutConnectionsNamesCauseAndRemedy() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(SharedServers.postgres().jdbcUrl().replace("/postgres?", "/no_such_database?"));
        config.setInitializationFailTimeout(-1);
        config.setConnectionTimeout(2_000);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            assertThatThrownBy(() -> PostgresJournal.on(pool).store().ready(List.of(0)))
                    .isInstanceOf(StoreException.class)
                    .hasMessageStartingWith("Cannot look for events: ")
                    .hasMessageContaining("not available")
                    .hasMessageContaining("no_such_database")
                    .hasMessageEndingWith("Create the database, or correct its name in the URL.");
        }
    }
}
