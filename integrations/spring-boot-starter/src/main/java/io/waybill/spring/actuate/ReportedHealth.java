package io.waybill.spring.actuate;

import java.util.function.Supplier;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** A {@link HealthReport} with the classes of Spring Boot 4; also down when the report cannot be made. */
final class ReportedHealth extends AbstractHealthIndicator {
    private final Supplier<HealthReport> reports;

    ReportedHealth(String failure, Supplier<HealthReport> reports) {
        super(failure);
        this.reports = reports;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        HealthReport report = reports.get();
        (report.isUp() ? health.up() : health.down()).withDetails(report.details());
    }
}
