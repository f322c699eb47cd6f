package io.waybill.jdbc.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.admin.EventFilter;
import io.waybill.jdbc.DatabaseRole;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.PostgresJournal;
import io.waybill.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The assumptions of the journal. If one is violated, the relay refuses to run, and no event counts as published. */
class JournalAssumptionsTest extends JournalLane {
    private static final String CACHE = "ALTER SEQUENCE outbox_events_seq_seq CACHE ";

    private static final String HIDE_TENANT_B = "ALTER TABLE outbox_events ENABLE ROW LEVEL SECURITY;"
            + "CREATE POLICY tenant ON outbox_events USING (aggregate_type = 'A' AND payload::text <> '\"hidden\"')";

    /** A role with all privileges on the tables that a relay needs. */
    private String relayRole() {
        String role = "relay_" + UUID.randomUUID().toString().replace("-", "");
        backend.execute("CREATE ROLE " + role + " LOGIN");
        for (String grant : DatabaseRole.RELAY.grants(Engine.JOURNAL, role)) {
            backend.execute(grant);
        }
        return role;
    }

    private HikariDataSource connectAs(String role) {
        HikariDataSource dataSource = new HikariDataSource();
        dataSource.setJdbcUrl(backend.dataSource().getJdbcUrl().replace("user=postgres", "user=" + role));
        dataSource.setMaximumPoolSize(2);
        return dataSource;
    }

    private void assertRefused(String... words) {
        assertThatThrownBy(this::drain).isInstanceOf(StoreException.class).hasMessageContainingAll(words);
        assertThatThrownBy(() -> take("another"))
                .isInstanceOf(StoreException.class)
                .hasMessageContainingAll(words);
        assertThatThrownBy(() -> store.prune(Duration.ZERO, 1_000)).isInstanceOf(StoreException.class);
    }

    private void assertNothingPublished(int pending) {
        assertThat(backend.query("SELECT DISTINCT state FROM outbox_states")).isEqualTo("PENDING");
        assertThat(backend.query("SELECT count(*) FROM outbox_states")).isEqualTo("" + pending);
    }

    private List<String> problems() {
        return OutboxSchema.relayProblems(backend.dataSource(), Engine.JOURNAL);
    }

    private List<String> rebaseAndDrain() {
        OutboxSchema.rebase(backend.dataSource());
        assertThat(problems()).isEmpty();
        store = PostgresJournal.on(backend.dataSource()).store();
        lease = takeFromTheDead("after the rebase");
        return drain();
    }

    @Test
    void aRelayThatCannotReadTheSequencePublishesNothingAndReportsIt() {
        append(key("a"), "1", "2");
        String role = relayRole();
        try (HikariDataSource relays = connectAs(role)) {
            store = PostgresJournal.on(relays).store();
            lease = takeFromTheDead("the role");
            backend.execute("REVOKE ALL ON outbox_events_seq_seq FROM " + role);
            assertThat(store.ready(List.of(LANE))).containsExactly(LANE);
            assertRefused("outbox_events_seq_seq", "GRANT SELECT");
            assertThat(OutboxSchema.relayProblems(relays, Engine.JOURNAL))
                    .singleElement()
                    .asString()
                    .contains("GRANT SELECT ON outbox_events_seq_seq TO " + role);
            assertNothingPublished(2);
            backend.execute("GRANT SELECT ON outbox_events_seq_seq TO " + role);
            assertThat(drain()).containsExactly("1", "2");
        }
    }

    /** The sequence was never drawn from; its value counts as 0. */
    @Test
    void anEmptyJournalIsServed() {
        assertThat(drain()).isEmpty();
        assertThat(problems()).isEmpty();
    }

    @Test
    void aRelayWithHiddenRowsPublishesNothingAndReportsThePolicy() {
        String role = relayRole();
        append(key("a"), "1", "hidden", "3");
        try (HikariDataSource relays = connectAs(role)) {
            PostgresJournal journal = PostgresJournal.on(relays);
            store = journal.store();
            lease = takeFromTheDead("the role");
            backend.execute(HIDE_TENANT_B);
            assertThatThrownBy(() -> store.ready(List.of(LANE))).hasMessageContaining("BYPASSRLS");
            assertRefused("outbox_events", "BYPASSRLS");
            assertThatThrownBy(() -> journal.view().status()).hasMessageContaining("BYPASSRLS");
            assertThatThrownBy(() -> journal.view().events(EventFilter.ALL, 10)).hasMessageContaining("BYPASSRLS");
            assertThat(OutboxSchema.relayProblems(relays, Engine.JOURNAL))
                    .singleElement()
                    .asString()
                    .contains("ALTER ROLE " + role + " BYPASSRLS");
            assertThat(OutboxSchema.problems(relays, Engine.JOURNAL))
                    .as("a service may write through policies")
                    .isEmpty();
            assertNothingPublished(3);
            backend.execute("ALTER ROLE " + role + " BYPASSRLS");
            assertThat(drain()).containsExactly("1", "hidden", "3");
        }
    }

    /** The plan of the claim is older than the policy. If the side table were hidden, events could overtake parked ones. */
    @Test
    void theNextClaimDetectsAPolicyOnTheSideTable() {
        String role = relayRole();
        try (HikariDataSource relays = connectAs(role)) {
            store = PostgresJournal.on(relays).store();
            lease = takeFromTheDead("the role");
            for (int i = 0; i < 10; i++) {
                append(key("a"), "1");
                assertThat(drain()).hasSize(1);
            }
            backend.execute("ALTER TABLE outbox_held ENABLE ROW LEVEL SECURITY");
            append(key("a"), "2");
            assertRefused("outbox_held", "BYPASSRLS");
        }
    }

    /** Two sessions have cached sequence numbers: one writes numbers lower than those that the other has already written. */
    @Test
    void aCachedSequenceIsRefusedAndARebaseDeliversAll() throws SQLException {
        append(key("a"), "0");
        assertThat(drain()).containsExactly("0");
        backend.execute(CACHE + 50);
        try (Connection one = begin();
                Connection two = begin()) {
            for (Connection writer : List.of(one, two, one, two)) {
                execute(writer, insert(key("a"), writer == one ? "one" : "two"));
                writer.commit();
            }
            assertRefused("outbox_events_seq_seq", "CACHE", "waybill schema rebase");
            assertThat(problems()).singleElement().asString().contains("CACHE", "waybill schema rebase");
            execute(one, insert(key("a"), "late"));
            one.commit();
            assertThat(rebaseAndDrain()).containsExactly("one", "two", "one", "two", "late");
            // the numbers that both sessions have cached are void
            execute(two, insert(key("a"), "after"));
            two.commit();
            execute(one, insert(key("a"), "last"));
            one.commit();
            assertThat(drain()).containsExactly("after", "last");
        }
    }

    /** No relay ran in between; sessions still hold the numbers that they cached. */
    @Test
    void aSequenceThatWasCachedInThePastIsRefused() throws SQLException {
        append(key("a"), "0");
        assertThat(drain()).containsExactly("0");
        try (Connection writer = begin()) {
            backend.execute(CACHE + 50);
            execute(writer, insert(key("a"), "1"));
            writer.commit();
            backend.execute(CACHE + 1);
            append(key("a"), "2");
            assertRefused("outbox_events_seq_seq", "waybill schema rebase");
            assertThat(rebaseAndDrain()).containsExactly("1", "2");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO outbox_events (xid, aggregate_type, aggregate_id, event_type, payload)"
                        + " VALUES ('3', 'A', 'k', 't', '1')",
                "INSERT INTO outbox_events (xid, aggregate_type, aggregate_id, event_type, payload)"
                        + " SELECT xid, aggregate_type, aggregate_id, event_type, payload FROM outbox_events"
            })
    void anEventWithTheNumberOfAnotherTransactionIsRefused(String insert) {
        append(key("a"), "1");
        assertThatThrownBy(() -> backend.execute(insert))
                .cause()
                .hasMessageContaining("xid")
                .hasMessageContaining("Leave the column out");
        assertThat(drain()).containsExactly("1");
    }

    @Test
    void aJournalWithoutTheXidTriggersIsRefused() {
        append(key("a"), "1");
        backend.execute("ALTER TABLE outbox_events DISABLE TRIGGER outbox_events_own_xid");
        assertThat(problems()).singleElement().asString().contains("outbox_events_own_xid", "ENABLE TRIGGER");
        assertThatThrownBy(() -> take("another")).hasMessageContaining("outbox_events_own_xid");
    }

    @Test
    void anEventWithItsOwnSequenceNumberIsRefused() {
        assertThatThrownBy(() -> backend.execute(
                        "INSERT INTO outbox_events (seq, aggregate_type, aggregate_id, event_type, payload)"
                                + " VALUES (1, 'A', 'k', 't', '1')"))
                .cause()
                .hasMessageContaining("seq");
        backend.execute("ALTER TABLE outbox_events ALTER seq SET GENERATED BY DEFAULT");
        assertThat(problems()).anySatisfy(problem -> assertThat(problem).contains("GENERATED ALWAYS"));
    }

    @Test
    void unloggedTablesAreRefused() {
        backend.execute("ALTER TABLE outbox_held SET UNLOGGED; ALTER TABLE outbox_events SET UNLOGGED");
        assertThat(problems()).anySatisfy(problem -> assertThat(problem).contains("outbox_events", "SET LOGGED"));
        assertThatThrownBy(() -> take("another")).hasMessageContaining("SET LOGGED");
    }

    /** Writers that qualify the name write into the table, while relays would read the view. */
    @Test
    void aViewInPlaceOfTheTableIsRefused() {
        String database = backend.query("SELECT current_database()");
        backend.execute("CREATE SCHEMA own; CREATE VIEW own.outbox_events AS SELECT * FROM public.outbox_events"
                + " WHERE aggregate_type <> 'A'; ALTER DATABASE " + database + " SET search_path = own, public");
        try (HikariDataSource relays = connectAs("postgres")) {
            assertThat(OutboxSchema.relayProblems(relays, Engine.JOURNAL))
                    .anySatisfy(problem -> assertThat(problem).contains("outbox_events", "view"));
            store = PostgresJournal.on(relays).store();
            assertThatThrownBy(() -> take("another")).hasMessageContaining("outbox_events");
        }
    }
}
