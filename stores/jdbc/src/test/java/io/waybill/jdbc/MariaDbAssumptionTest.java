package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.store.RelayReport;
import io.waybill.store.StoreException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MariaDbAssumptionTest {
    @Test
    void aTableWithoutTransactionsIsRefused() {
        try (JdbcBackend backend = MariaDbDatabase.queue()) {
            assertThat(OutboxSchema.relayProblems(backend.dataSource(), Engine.QUEUE))
                    .isEmpty();
            backend.execute("ALTER TABLE outbox_events ENGINE = Aria");
            assertThat(OutboxSchema.problems(backend.dataSource()))
                    .singleElement()
                    .asString()
                    .contains("outbox_events", "Aria", "ENGINE = InnoDB");
            assertThatThrownBy(() -> backend.store()
                            .heartbeat(new RelayReport("r", "here", "test", 0, 0), Duration.ofMinutes(1)))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("ENGINE = InnoDB");
        }
    }
}
