package io.waybill.spring.actuate;

import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.inbox.InboxStatus;
import io.waybill.inbox.InboxView;
import io.waybill.saga.Sagas;
import io.waybill.saga.admin.SagaStatistics;
import io.waybill.spring.InboxConsumer;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.WaybillProperties;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The health of outbox, inbox or saga engine, for the health indicators of Spring Boot 4 and 3.5, whose classes differ. Dead letters do
 * not make outbox or inbox down: an operator decides about dead letters, and a restart does not help.
 */
public record HealthReport(boolean isUp, Map<String, Object> details) {

    /**
     * The outbox is down when the oldest event is pending for too long, or when the relay has ended by itself.
     *
     * @throws io.waybill.WaybillException when the outbox cannot be read
     */
    public static HealthReport ofOutbox(OutboxView outbox, RelayLifecycle publisher, WaybillProperties properties) {
        OutboxStatus status = outbox.status();
        Duration oldestAge = properties.health().oldestAge();
        boolean late = status.oldestAge().compareTo(oldestAge) > 0;
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("publishing", publisher.isRunning());
        details.put("pending", status.pending());
        details.put("oldestAge", status.oldestAge().toString());
        details.put("parked", status.parked());
        details.put("deadLetters", status.deadLetters());
        details.put("liveRelays", status.liveRelays());
        publisher.failure().ifPresent(reason -> details.put("relayEnded", reason));
        if (late) {
            details.put(
                    "reason",
                    "The oldest event has been pending for longer than " + oldestAge + " (waybill.health.oldest-age)."
                            + (status.liveRelays() == 0
                                    ? " No relay is running: configure a broker, or start a relay."
                                    : " Check that the broker answers."));
        }
        return new HealthReport(!late && publisher.failure().isEmpty(), details);
    }

    /**
     * The saga engine is down when an error has ended it, or when its last poll failed. Stuck sagas do not make it down: a person
     * decides about them, and a restart does not help.
     *
     * @throws io.waybill.WaybillException when the sagas cannot be read
     */
    public static HealthReport ofSagas(Sagas<?> sagas, WaybillProperties properties) {
        long stuck = 0;
        Map<String, Long> counts = new TreeMap<>();
        for (SagaStatistics group : sagas.view().statistics()) {
            stuck += group.stuck();
            counts.merge(group.status().name(), group.count(), Long::sum);
        }
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("running", sagas.isRunning());
        details.put("stuck", stuck);
        details.put("sagas", counts);
        return new HealthReport(!properties.saga().enabled() || sagas.isServing(), details);
    }

    /** The inbox is down when a consumer of the group is paused, or when the application's own consumer has ended. */
    static HealthReport ofInbox(InboxView view, InboxConsumer consumer) {
        if (!consumer.isEnabled()) {
            return new HealthReport(true, Map.of("consuming", false));
        }
        InboxStatus status = view.status(consumer.group());
        boolean paused = status.pausedConsumers() > 0;
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("consuming", consumer.isRunning());
        details.put("group", status.group());
        details.put("retrying", status.retrying());
        details.put("parked", status.parked());
        details.put("deadLetters", status.deadLetters());
        details.put("pausedConsumers", status.pausedConsumers());
        if (paused) {
            details.put("pausedSince", String.valueOf(status.pausedSince()));
            details.put("reason", String.valueOf(status.pauseReason()));
        }
        return new HealthReport(!paused && consumer.isRunning(), details);
    }
}
