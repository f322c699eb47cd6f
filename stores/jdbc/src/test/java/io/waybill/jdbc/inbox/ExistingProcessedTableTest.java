package io.waybill.jdbc.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.Event;
import io.waybill.inbox.InboxStore;
import io.waybill.inbox.InboxStore.Admission;
import io.waybill.testkit.servers.SharedServers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A consumer's own table of processed events, of the same name as the inbox's, and the inbox beside it. */
class ExistingProcessedTableTest {
    private final HikariDataSource source = new HikariDataSource();
    private final Event event = Event.of("nc.created", "NonConformity", "1", "{}");
    private InboxStore<Connection> store;

    @BeforeEach
    void open() {
        source.setJdbcUrl(SharedServers.freshDatabase() + "&currentSchema=waybill");
        execute("CREATE TABLE public.processed_events (id bigserial PRIMARY KEY, event_id uuid NOT NULL UNIQUE,"
                + " processed_at timestamptz NOT NULL DEFAULT now()); CREATE SCHEMA waybill");
        InboxSchema.apply(source);
        store = JdbcInbox.on(source).store("public.processed_events");
    }

    @AfterEach
    void close() {
        source.close();
    }

    @Test
    void whatWasProcessedBeforeIsADuplicate() {
        execute("INSERT INTO public.processed_events (event_id) VALUES ('" + event.id() + "')");
        assertThat(admit()).isEqualTo(Admission.DUPLICATE);
        assertThat(admit()).isEqualTo(Admission.DUPLICATE);
        assertThat(admitAll(List.of(event, another()))).containsExactly(Admission.DUPLICATE, Admission.ADMITTED);
    }

    @Test
    void whatIsProcessedNowIsWrittenThereTooAndRollsBackWithIt() {
        assertThatThrownBy(() -> store.transaction("fail", connection -> {
                    assertThat(store.admit(connection, "audit", event, false)).isEqualTo(Admission.ADMITTED);
                    throw new IllegalStateException("the handler fails");
                }))
                .hasMessageContaining("the handler fails");
        assertThat(processed()).isZero();
        assertThat(admit()).isEqualTo(Admission.ADMITTED);
        assertThat(processed()).isEqualTo(1);
        assertThat(admit()).isEqualTo(Admission.DUPLICATE);
        store.transaction("take it back", connection -> {
            store.unmark(connection, "audit", event.id());
            return true;
        });
        assertThat(processed()).isZero();
        assertThat(admitAll(List.of(event, event, another())))
                .containsExactly(Admission.ADMITTED, Admission.DUPLICATE, Admission.ADMITTED);
        assertThat(processed()).isEqualTo(2);
    }

    @Test
    void theTableIsNamedWithItsSchema() {
        assertThatThrownBy(() -> JdbcInbox.on(source).store("processed_events")).hasMessageContaining("schema.table");
    }

    private static Event another() {
        return Event.of("nc.created", "NonConformity", "2", "{}");
    }

    private Admission admit() {
        return store.transaction("admit", connection -> store.admit(connection, "audit", event, false));
    }

    private List<Admission> admitAll(List<Event> events) {
        return store.transaction("admit", connection -> store.admitAll(connection, "audit", events));
    }

    private long processed() {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM public.processed_events")) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void execute(String sql) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
