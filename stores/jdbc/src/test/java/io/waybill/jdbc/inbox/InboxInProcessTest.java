package io.waybill.jdbc.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.admin.EventState;
import io.waybill.inbox.InProcessTransport;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.PermanentException;
import io.waybill.relay.Relay;
import io.waybill.retry.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Delivery without a broker: a relay hands the events of the outbox to an inbox in the same process. */
class InboxInProcessTest {
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private final Set<String> hopeless = ConcurrentHashMap.newKeySet();
    private InboxPostgresBackend backend;
    private Inbox<Connection> inbox;

    @BeforeEach
    void open() {
        backend = new InboxPostgresBackend();
        inbox = Inbox.builder(backend.store(), "audit")
                .on("nc.created", (connection, event) -> {
                    backend.writeLedger(connection, event.key() + event.payload());
                    if (failing.contains(event.payload())) {
                        throw new IllegalStateException("fails");
                    }
                    if (hopeless.contains(event.payload())) {
                        throw new PermanentException("hopeless");
                    }
                })
                .deadLettersTo(backend.outbox())
                .retry(new RetryPolicy(3, Duration.ofSeconds(10), Duration.ofSeconds(10)))
                .build();
    }

    @AfterEach
    void close() {
        inbox.close();
        backend.close();
    }

    private Relay relay() {
        return Relay.builder(backend.database().store(), InProcessTransport.to(inbox))
                .build();
    }

    private void append(String key, String payload) throws SQLException {
        try (Connection connection = backend.database().dataSource().getConnection()) {
            connection.setAutoCommit(false);
            backend.outbox().append(connection, Event.of("nc.created", "NonConformity", key, payload));
            connection.commit();
        }
    }

    @Test
    void runOnceAppliesEachPendingEventOnce() throws SQLException {
        for (int i = 1; i <= 20; i++) {
            append("k" + i % 3 + "-", Integer.toString(i));
        }
        assertThat(relay().runOnce()).isEqualTo(20);
        assertThat(relay().runOnce()).isZero();
        assertThat(backend.ledger()).hasSize(20).doesNotHaveDuplicates();
        assertThat(backend.ledger().stream().filter(line -> line.startsWith("k1-")))
                .containsExactly("k1-1", "k1-4", "k1-7", "k1-10", "k1-13", "k1-16", "k1-19");
    }

    @Test
    void theInboxRetriesAFailureAndKeepsTheKeyInOrder() throws SQLException {
        failing.add("1");
        append("a", "1");
        append("a", "2");
        append("b", "3");
        assertThat(relay().runOnce()).as("the outbox has published all of them").isEqualTo(3);
        assertThat(backend.ledger()).containsExactly("b3");
        failing.clear();
        backend.age(Duration.ofMinutes(1));
        assertThat(inbox.runDue()).isEqualTo(2);
        assertThat(backend.ledger()).containsExactly("b3", "a1", "a2");
    }

    @Test
    void aDeadLetterStaysInTheInboxAndIsNotDeliveredAgain() throws SQLException {
        hopeless.add("1");
        append("a", "1");
        relay().runOnce();
        relay().runOnce();
        assertThat(backend.view().status("audit").deadLetters()).isEqualTo(1);
        assertThat(backend.database().view().status().pending()).isZero();
        assertThat(backend.database().view().events(io.waybill.admin.EventFilter.ALL.state(EventState.PUBLISHED), 10))
                .hasSize(2);
    }

    @Test
    void theLoopAppliesEventsThatAreWrittenWhileItRuns() throws Exception {
        List<String> expected = new ArrayList<>();
        try (Relay relay = relay()) {
            relay.start();
            inbox.start();
            for (int i = 1; i <= 50; i++) {
                append("k", "" + i);
                expected.add("k" + i);
            }
            long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (backend.ledger().size() < 50 && System.nanoTime() < end) {
                Thread.onSpinWait();
            }
        }
        assertThat(backend.ledger()).containsExactlyElementsOf(expected);
    }
}
