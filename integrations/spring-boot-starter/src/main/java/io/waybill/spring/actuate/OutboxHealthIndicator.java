package io.waybill.spring.actuate;

import java.util.function.Supplier;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** {@link OutboxHealthReport} with the classes of Spring Boot 4; also down when the outbox cannot be read. */
final class OutboxHealthIndicator extends AbstractHealthIndicator {
    private final Supplier<OutboxHealthReport> outbox;

    OutboxHealthIndicator(Supplier<OutboxHealthReport> outbox) {
        super("The outbox cannot be read");
        this.outbox = outbox;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        OutboxHealthReport report = outbox.get();
        (report.isUp() ? health.up() : health.down()).withDetails(report.details());
    }
}
