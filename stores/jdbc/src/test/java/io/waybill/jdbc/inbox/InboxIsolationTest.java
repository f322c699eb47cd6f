package io.waybill.jdbc.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.waybill.Event;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.retry.RetryPolicy;
import io.waybill.store.StoreException;
import io.waybill.testkit.inbox.Messages;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A transaction of the application in the default isolation of MariaDB and MySQL still reads rows that were deleted in the meantime. */
class InboxIsolationTest {
    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void aTransactionThatReadsAnOldSnapshotIsRefusedInsteadOfWaitingForever(DatabaseProduct product) throws Exception {
        try (InboxJdbcBackend backend = InboxJdbcBackend.on(product);
                Connection strict = backend.database().dataSource().getConnection()) {
            AtomicBoolean failing = new AtomicBoolean(true);
            Inbox<Connection> inbox = Inbox.builder(backend.store(), "stock")
                    .on(Messages.TYPE, (connection, event) -> {
                        if (failing.get()) {
                            throw new IllegalStateException("fails for now");
                        }
                    })
                    .retry(new RetryPolicy(3, Duration.ofSeconds(1), Duration.ofSeconds(1)))
                    .build();
            Event event = Messages.event("1", "a").build();
            assertThat(inbox.handle(Messages.of(event))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);

            strict.setAutoCommit(false);
            strict.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            Event next = Messages.event("1", "b").build();
            assertThat(backend.store().admit(strict, "stock", next, false))
                    .isEqualTo(io.waybill.inbox.InboxStore.Admission.HELD);
            failing.set(false);
            backend.age(Duration.ofMinutes(1));
            assertThat(inbox.runDue()).isEqualTo(1);

            assertTimeoutPreemptively(
                    Duration.ofSeconds(30),
                    () -> assertThatThrownBy(() -> backend.store().park(strict, "stock", next, Messages.of(next)))
                            .isInstanceOf(StoreException.class)
                            .hasMessageContaining("READ COMMITTED"));
            strict.rollback();
        }
    }
}
