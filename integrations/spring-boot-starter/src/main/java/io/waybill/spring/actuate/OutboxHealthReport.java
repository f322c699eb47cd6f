package io.waybill.spring.actuate;

import io.waybill.admin.OutboxStatus;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.spring.RelayLifecycle;
import io.waybill.spring.WaybillProperties;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The health of the outbox, for the health indicators of Spring Boot 4 and 3.5, whose classes differ. It is down when the oldest event
 * is pending for too long, or when the relay has ended by itself. Dead letters do not make it down: an operator decides about them,
 * and a restart does not help.
 */
public record OutboxHealthReport(boolean isUp, Map<String, Object> details) {

    /** @throws io.waybill.WaybillException when the outbox cannot be read */
    public static OutboxHealthReport of(JdbcEngine engine, RelayLifecycle publisher, WaybillProperties properties) {
        OutboxStatus status = engine.view().status();
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
        return new OutboxHealthReport(!late && publisher.failure().isEmpty(), details);
    }
}
