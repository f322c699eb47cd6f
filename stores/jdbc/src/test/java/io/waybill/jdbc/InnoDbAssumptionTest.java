package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.store.RelayReport;
import io.waybill.store.StoreException;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InnoDbAssumptionTest {
    @ParameterizedTest
    @EnumSource
    void aStorageEngineWithoutTransactionsIsRefused(InnoDb database) {
        try (JdbcBackend backend = database.queue()) {
            assertThat(OutboxSchema.relayProblems(backend.dataSource(), Engine.QUEUE))
                    .isEmpty();
            backend.execute("ALTER TABLE outbox_claims ENGINE = MyISAM");
            assertThat(OutboxSchema.problems(backend.dataSource()))
                    .singleElement()
                    .asString()
                    .contains("outbox_claims", "MyISAM", "ENGINE = InnoDB");
            assertThatThrownBy(() -> backend.store()
                            .heartbeat(new RelayReport("r", "here", "test", 0, 0), Duration.ofMinutes(1)))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("ENGINE = InnoDB");
        }
    }
}
