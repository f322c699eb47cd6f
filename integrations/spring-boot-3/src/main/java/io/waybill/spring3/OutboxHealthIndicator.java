package io.waybill.spring3;

import io.waybill.spring.actuate.OutboxHealthReport;
import java.util.function.Supplier;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** {@link OutboxHealthReport} with the classes of Spring Boot 3.5; also down when the outbox cannot be read. */
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
