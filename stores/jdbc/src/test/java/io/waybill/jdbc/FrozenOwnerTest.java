package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.jdbc.internal.journal.TransactionStart;
import io.waybill.jdbc.internal.queue.Claims;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.RelayReport;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A relay that is frozen inside a transaction holds locks. Its lanes are taken over nevertheless. */
class FrozenOwnerTest {
    private static final Duration LEASE = Duration.ofSeconds(2);

    @ParameterizedTest
    @EnumSource
    void theTransactionOfAFrozenOwnerEndsWithItsLease(Engine engine) throws SQLException {
        try (PostgresBackend backend = PostgresBackend.of(engine)) {
            backend.store().heartbeat(new RelayReport("frozen", "here", "test", 0, 0), LEASE);
            Lease lease = backend.store().acquire("frozen", 3, LEASE).orElseThrow();
            try (Connection connection = backend.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                if (engine == Engine.JOURNAL) {
                    TransactionStart.lock(connection, lease);
                } else {
                    Claims.verified(connection, List.of(new LaneRequest(lease, List.of(), 10)));
                }

                // The same timeout ends an attempt of the next owner that stalls for two seconds, as on a busy machine.
                await().atMost(Duration.ofMinutes(4))
                        .ignoreExceptionsInstanceOf(StoreException.class)
                        .until(() -> backend.store().acquire("next", 3, LEASE).isPresent());

                assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
            }
            assertThat(backend.query("SELECT owner FROM outbox_lanes WHERE lane = 3"))
                    .isEqualTo("next");
        }
    }

    /** The timeouts of PostgreSQL are in milliseconds, up to 24 days. */
    @ParameterizedTest
    @EnumSource
    void aLeaseMayBeLongerThanTheLongestTimeout(Engine engine) {
        Duration month = Duration.ofDays(31);
        try (PostgresBackend backend = PostgresBackend.of(engine)) {
            backend.store().heartbeat(new RelayReport("slow", "here", "test", 0, 0), month);
            Lease lease = backend.store().acquire("slow", 3, month).orElseThrow();

            assertThat(backend.store().advance(lease, List.of(), 10)).isEmpty();
        }
    }
}
