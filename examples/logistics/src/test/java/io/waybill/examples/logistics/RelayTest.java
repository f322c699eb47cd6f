package io.waybill.examples.logistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.waybill.examples.logistics.OrderTopic.Received;
import io.waybill.spring.WaybillProperties;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ClassPathResource;

/** The relay serves the table of the service. */
class RelayTest {
    private final Service service = Service.shared();
    private final Api api = service.api();

    @Test
    void theEventsOfAllTenantsArePublishedWithTheirMessageId() {
        List<UUID> orders = List.of(api.place(Service.NORTH), api.place(Service.SOUTH), api.place(Service.NORTH));
        try (OrderTopic topic = new OrderTopic()) {
            await("all are published").until(() -> topic.of(orders).size() == 3);
            assertThat(topic.of(orders)).allSatisfy(message -> {
                Map<String, Object> row = row(message.key());
                assertThat(message.messageId()).isEqualTo(row.get("id"));
                assertThat(message.tenant()).isEqualTo(row.get("tenant_id"));
                assertThat(message.type()).isEqualTo("OrderCreated");
                assertThat(message.body().path("customer_name").asString()).isEqualTo("Ann");
            });
            assertThat(topic.of(orders).stream().map(Received::tenant)).contains(Service.NORTH, Service.SOUTH);
        }
        await("no row of any tenant waits").until(() -> waiting(orders) == 0);
        assertThat(service.jdbc()
                        .queryForObject(
                                "SELECT count(*) FROM outbox_events WHERE status = 'PUBLISHED' AND processed_at IS NULL",
                                Long.class))
                .isZero();
    }

    /** By the plan's own query, ORDER BY next_attempt_at, the cancellation would overtake the order. */
    @Test
    void aLaterEventOfAnOrderWaitsBehindARetry() {
        AtomicInteger failures = new AtomicInteger();
        service.broker()
                .refuse(message ->
                        "OrderCreated".equals(message.headers().get("event-type")) && failures.incrementAndGet() <= 3);
        UUID order = api.place(Service.NORTH);
        api.cancel(order);
        try (OrderTopic topic = new OrderTopic()) {
            await("both are published").until(() -> topic.of(List.of(order)).size() == 2);
            assertThat(topic.of(List.of(order)))
                    .extracting(Received::type)
                    .containsExactly("OrderCreated", "OrderCancelled");
        } finally {
            service.broker().refuseNone();
        }
        await("the attempts are recorded").until(() -> waiting(List.of(order)) == 0);
        assertThat(row(order)).containsEntry("retry_count", 3).containsEntry("status", "PUBLISHED");
    }

    @Test
    void anEventFailsAfterFiveAttemptsAndIsCounted() {
        String before = metrics();
        UUID order = UUID.randomUUID();
        service.broker().refuse(message -> message.key().equals(order.toString()));
        service.jdbc()
                .update(
                        "INSERT INTO outbox_events (id, tenant_id, aggregate_type, aggregate_id, event_type, payload)"
                                + " VALUES (?, ?, 'Order', ?, 'OrderCreated', '{\"n\": 1}')",
                        UUID.randomUUID(),
                        Service.SOUTH,
                        order);
        try {
            await("it fails").until(() -> "FAILED".equals(row(order).get("status")));
            assertThat(row(order)).containsEntry("retry_count", 5);
            assertThat(String.valueOf(row(order).get("last_error"))).contains("The test refuses this message.");
            await("the metrics show it").until(() -> value(metrics(), "outbox_dead_letters") == 1);
        } finally {
            service.broker().refuseNone();
        }
        String failures = "outbox_failure_count_total{kind=\"transient\"}";
        String metrics = metrics();
        assertThat(value(metrics, failures)).isGreaterThanOrEqualTo(value(before, failures) + 5);
        assertThat(metrics)
                .contains("# TYPE outbox_failure_count_total counter")
                .contains("# TYPE outbox_process_latency histogram")
                .contains("# TYPE outbox_pending_count gauge")
                .contains("# TYPE outbox_oldest_age_seconds gauge");

        service.jdbc().update("UPDATE outbox_events SET status = 'PENDING' WHERE aggregate_id = ?", order);
        try (OrderTopic topic = new OrderTopic()) {
            await("set back to PENDING, it is published")
                    .until(() -> topic.of(List.of(order)).size() == 1);
        }
        await("and no longer dead").until(() -> "PUBLISHED".equals(row(order).get("status")));
    }

    /** It would never publish the events of the tenants that it does not see. */
    @Test
    void aRelayThatDoesNotSeeAllTenantsIsRefused() {
        assertThatThrownBy(() -> Service.start(Service.freshDatabase(), "waybill.layout.username=logistics_app"))
                .rootCause()
                .hasMessageContaining("Policies hide rows from user logistics_app");
    }

    @Test
    void theSettingsAreThoseOfThePlan() throws Exception {
        StandardEnvironment file = new StandardEnvironment();
        new YamlPropertySourceLoader()
                .load("plan", new ClassPathResource("application.yml"))
                .forEach(file.getPropertySources()::addFirst);
        WaybillProperties.Relay relay = Binder.get(file)
                .bindOrCreate("waybill", WaybillProperties.class)
                .relay();
        assertThat(relay.batchSize()).isEqualTo(50);
        assertThat(relay.pollEvery()).isEqualTo(Duration.ofMillis(200));
        assertThat(relay.retry().maxAttempts()).isEqualTo(5);
        assertThat(relay.retry().firstDelay()).isEqualTo(Duration.ofSeconds(1));
        assertThat(relay.retry().longestDelay()).isGreaterThanOrEqualTo(Duration.ofSeconds(8));
    }

    private Map<String, Object> row(UUID order) {
        return service.jdbc()
                .queryForMap("SELECT * FROM outbox_events WHERE aggregate_id = ? ORDER BY waybill_seq LIMIT 1", order);
    }

    private long waiting(List<UUID> orders) {
        return orders.stream()
                .mapToLong(order -> service.number(
                        "SELECT count(*) FROM outbox_events WHERE aggregate_id = ? AND status = 'PENDING'", order))
                .sum();
    }

    private String metrics() {
        return api.get("/actuator/prometheus", "", Service.NORTH).text();
    }

    private static double value(String metrics, String name) {
        return metrics.lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(0);
    }
}
