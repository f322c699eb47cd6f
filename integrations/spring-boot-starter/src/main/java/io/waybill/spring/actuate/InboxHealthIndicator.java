package io.waybill.spring.actuate;

import io.waybill.inbox.InboxStatus;
import io.waybill.inbox.InboxView;
import io.waybill.spring.InboxConsumer;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Down when the inbox cannot be read, when a consumer of the group is paused, or when the application's own consumer has ended.
 * Dead letters do not make it down: an operator decides about them, and a restart does not help.
 */
final class InboxHealthIndicator extends AbstractHealthIndicator {
    private final InboxView view;
    private final InboxConsumer consumer;

    InboxHealthIndicator(InboxView view, InboxConsumer consumer) {
        super("The inbox cannot be read");
        this.view = view;
        this.consumer = consumer;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        if (!consumer.isEnabled()) {
            health.up().withDetail("consuming", false);
            return;
        }
        InboxStatus status = view.status(consumer.group());
        boolean paused = status.pausedConsumers() > 0;
        (paused || !consumer.isRunning() ? health.down() : health.up())
                .withDetail("consuming", consumer.isRunning())
                .withDetail("group", status.group())
                .withDetail("retrying", status.retrying())
                .withDetail("parked", status.parked())
                .withDetail("deadLetters", status.deadLetters())
                .withDetail("pausedConsumers", status.pausedConsumers());
        if (paused) {
            health.withDetail("pausedSince", String.valueOf(status.pausedSince()))
                    .withDetail("reason", String.valueOf(status.pauseReason()));
        }
    }
}
