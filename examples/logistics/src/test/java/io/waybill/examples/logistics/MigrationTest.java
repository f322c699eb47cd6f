package io.waybill.examples.logistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.examples.logistics.OrderTopic.Received;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** From dual write to the outbox. At each switch, old and new instances work side by side. */
class MigrationTest {
    private static final String NO_RELAY = "waybill.relay.enabled=false";

    private final String database = Service.freshDatabase();
    private final List<UUID> orders = new ArrayList<>();

    @Test
    void noSwitchLosesOrDoublesAnEvent() {
        try (OrderTopic topic = new OrderTopic()) {
            UUID missed;
            Service shadow;
            try (Service dualWrite = Service.start(database, "logistics.publishing=dual-write", NO_RELAY)) {
                place(dualWrite);
                shadow = Service.start(database, "logistics.publishing=shadow", NO_RELAY);
                place(dualWrite, shadow);
                assertThat(shadow.jdbc().queryForObject("SELECT count(*) FROM outbox_events", Long.class))
                        .as("a row for each order of the new instance only")
                        .isEqualTo(5);
            }
            shadow.broker().refuse(message -> true);
            missed = shadow.api().place(Service.NORTH);
            shadow.broker().refuseNone();
            place(shadow);
            assertThat(topic.of(List.of(missed))).isEmpty();
            assertThat(waiting(shadow)).as("what dual write would have lost").containsExactly(missed);

            Service waiting;
            try (Service old = shadow) {
                waiting = Service.start(database, "logistics.publishing=outbox", NO_RELAY);
                place(old, waiting);
            }
            try (Service old = waiting;
                    Service outbox = Service.start(database, "logistics.publishing=outbox")) {
                orders.add(missed);
                place(old, outbox);
                await("every order is published").until(() -> topic.of(orders).size() >= orders.size());
                await("no row waits").until(() -> waiting(outbox).isEmpty());
            }
            List<Received> received = topic.of(orders);
            assertThat(received).extracting(Received::key).containsExactlyInAnyOrderElementsOf(orders);
            assertThat(received).extracting(Received::messageId).doesNotHaveDuplicates();
        }
    }

    @Test
    void theRelayDoesNotRunWhileTheServiceSendsItself() {
        assertThatThrownBy(() -> Service.start(database, "logistics.publishing=shadow"))
                .rootCause()
                .hasMessageContaining("waybill.relay.enabled=false");
    }

    /** Places five orders at each service, in turn. */
    private void place(Service... services) {
        for (int i = 0; i < 5; i++) {
            for (Service service : services) {
                orders.add(service.api().place(i % 2 == 0 ? Service.NORTH : Service.SOUTH));
            }
        }
    }

    private static List<UUID> waiting(Service service) {
        return service.jdbc()
                .queryForList("SELECT aggregate_id FROM outbox_events WHERE status = 'PENDING'", UUID.class);
    }
}
