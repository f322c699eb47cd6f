package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.admin.EventFilter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JdbcOutboxTest {
    private final JdbcOutbox outbox = JdbcOutbox.create();
    private PostgresBackend backend;
    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        backend = new PostgresBackend();
        connection = backend.dataSource().getConnection();
        connection.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        connection.rollback();
        connection.close();
        backend.close();
    }

    private static Event event(String payload) {
        return Event.of("order.placed", "Order", "42", payload);
    }

    private int events() {
        return backend.view().events(EventFilter.ALL, 100).size();
    }

    @Test
    void appendingDoesNotCommit() throws SQLException {
        outbox.append(connection, event("{}"));
        assertThat(events()).isZero();
        connection.commit();
        assertThat(events()).isEqualTo(1);
    }

    @Test
    void aConnectionInAutoCommitModeIsRefused() throws SQLException {
        connection.setAutoCommit(true);
        assertThatThrownBy(() -> outbox.append(connection, event("{}")))
                .isInstanceOf(WaybillException.class)
                .hasMessage(
                        "Cannot append event order.placed/42: no transaction is active, the connection is in auto-commit"
                                + " mode. Call setAutoCommit(false) and append inside the transaction that changes your data.");
        assertThat(events()).isZero();
        connection.setAutoCommit(false);
    }

    @Test
    void aPayloadThatIsNotJsonIsRefused() {
        assertThatThrownBy(() -> outbox.append(connection, event("{broken")))
                .hasMessageContaining("order.placed/42")
                .hasMessageContaining("must be JSON");
    }

    @Test
    void aDuplicateIdIsRefused() {
        Event twin = Event.builder("order.placed", "Order", "42")
                .id(UUID.randomUUID())
                .build();
        assertThatThrownBy(() -> outbox.append(connection, List.of(twin, twin))).hasMessageContaining("same id");
    }

    @Test
    void aPayloadAboveTheLimitIsRefusedBeforeItReachesTheDatabase() throws SQLException {
        String twentyMegabytes = "\"" + "x".repeat(20_000_000) + "\"";
        assertThatThrownBy(() -> outbox.append(connection, event(twentyMegabytes)))
                .hasMessageContaining("20000002 bytes")
                .hasMessageContaining("limit is 1000000")
                .hasMessageContaining("reference");
        outbox.append(connection, event("{}"));
        connection.commit();
        assertThat(events()).as("the transaction was still usable").isEqualTo(1);
    }

    @Test
    void theLimitCountsBytesAndCanBeRaised() {
        String threeBytesEach = "\"" + "€".repeat(400_000) + "\"";
        assertThatThrownBy(() -> outbox.append(connection, event(threeBytesEach)))
                .hasMessageContaining("1200002");
        JdbcOutbox.withMaxPayload(2_000_000).append(connection, event(threeBytesEach));
        assertThatThrownBy(() -> JdbcOutbox.withMaxPayload(0)).hasMessageContaining("0");
    }

    @Test
    void anEventRolledBackToASavepointIsNotSent() throws SQLException {
        outbox.append(connection, event("{\"n\": 1}"));
        Savepoint savepoint = connection.setSavepoint();
        outbox.append(connection, event("{\"n\": 2}"));
        connection.rollback(savepoint);
        outbox.append(connection, event("{\"n\": 3}"));
        connection.commit();

        assertThat(backend.view().events(EventFilter.ALL, 10))
                .extracting(record -> record.event().payload())
                .containsExactly("{\"n\": 1}", "{\"n\": 3}");
    }

    @Test
    void theErrorNamesAnEarlierFailureOfTheTransaction() {
        assertThatThrownBy(() -> outbox.append(connection, event("{broken"))).isInstanceOf(WaybillException.class);
        assertThatThrownBy(() -> outbox.append(connection, event("{}"))).hasMessageContaining("Roll it back");
    }

    @Test
    void theErrorForAMissingTableNamesTheRemedy() {
        backend.execute("ALTER TABLE outbox_events RENAME TO elsewhere");
        assertThatThrownBy(() -> outbox.append(connection, event("{}"))).hasMessageContaining("waybill schema apply");
    }

    @Test
    void appendingAnEmptyListIsANoOp() {
        outbox.append(connection, List.of());
        assertThat(events()).isZero();
    }
}
