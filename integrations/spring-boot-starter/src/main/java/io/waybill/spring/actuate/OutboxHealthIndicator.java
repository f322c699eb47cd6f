package io.waybill.spring.actuate;

import io.waybill.operate.OutboxView;
import io.waybill.operate.Status;
import io.waybill.spring.OutboxPublisher;
import java.time.Duration;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Down when the outbox cannot be read, or when its oldest pending event has waited for too long. Dead letters do not make it down:
 * they wait for a person, and no restart helps.
 */
final class OutboxHealthIndicator extends AbstractHealthIndicator {
    private final OutboxView view;
    private final OutboxPublisher publisher;
    private final Duration oldestAge;

    OutboxHealthIndicator(OutboxView view, OutboxPublisher publisher, Duration oldestAge) {
        super("The outbox cannot be read");
        this.view = view;
        this.publisher = publisher;
        this.oldestAge = oldestAge;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        Status status = view.status();
        boolean late = status.oldestAge().compareTo(oldestAge) > 0;
        (late || publisher.failure().isPresent() ? health.down() : health.up())
                .withDetail("publishing", publisher.isRunning())
                .withDetail("pending", status.pending())
                .withDetail("oldestAge", status.oldestAge().toString())
                .withDetail("parked", status.parked())
                .withDetail("deadLetters", status.deadLetters())
                .withDetail("liveRelays", status.liveRelays());
        publisher.failure().ifPresent(reason -> health.withDetail("relayEnded", reason));
        if (late) {
            health.withDetail(
                    "reason",
                    "The oldest event has waited for longer than " + oldestAge + " (waybill.health.oldest-age)."
                            + (status.liveRelays() == 0
                                    ? " No relay is alive: set waybill.kafka.bootstrap-servers, or start one."
                                    : " See whether the broker answers."));
        }
    }
}
