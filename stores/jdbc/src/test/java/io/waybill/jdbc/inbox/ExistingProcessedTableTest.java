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

/** An existing table of processed events, with the same name as the table of the inbox but in another schema. */
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
    void anEventInTheExistingTableIsADuplicate() {
        execute("INSERT INTO public.processed_events (event_id) VALUES ('" + event.id() + "')");
        assertThat(admit()).isEqualTo(Admission.DUPLICATE);
        assertThat(admit()).isEqualTo(Admission.DUPLICATE);
        assertThat(admitAll(List.of(event, another()))).containsExactly(Admission.DUPLICATE, Admission.ADMITTED);
    }

    @Test
    void aProcessedEventIsAddedToTheExistingTableInTheSameTransaction() {
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

    /** The inbox of the saga library, whose columns are required. */
    @Test
    void theColumnsOfAConsumerInboxAreFilled() {
        execute("CREATE TABLE public.consumer_inbox (event_id uuid PRIMARY KEY, consumer_name varchar(255) NOT NULL,"
                + " source_topic varchar(255) NOT NULL, event_type varchar(255) NOT NULL, payload jsonb NOT NULL,"
                + " consumed_at timestamptz NOT NULL DEFAULT now(), processing_duration_ms integer)");
        store = JdbcInbox.on(source).store("public.consumer_inbox");
        assertThat(admit()).isEqualTo(Admission.ADMITTED);
        assertThat(admit()).isEqualTo(Admission.DUPLICATE);
        assertThat(text("SELECT concat_ws(' ', event_id, consumer_name, source_topic, event_type, payload)"
                        + " FROM public.consumer_inbox"))
                .isEqualTo(event.id() + " audit nc.created nc.created {}");
    }

    @Test
    void theNameOfTheTableNeedsASchema() {
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
        return Long.parseLong(text("SELECT count(*) FROM public.processed_events"));
    }

    private String text(String query) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
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
