package io.waybill.spring3;

import io.waybill.spring.actuate.HealthReport;
import java.util.function.Supplier;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** A {@link HealthReport} with the classes of Spring Boot 3.5; also down when the report cannot be made. */
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
